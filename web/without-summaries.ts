import type { Plugin } from 'vite';

const summary = /^( {2}summary: )(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`),$/gm;

/** Leaves out the summaries of calls, which only the OpenAPI document of the server shows. */
export const withoutSummaries = (): Plugin => ({
  name: 'without-summaries',
  apply: 'build',
  // Before types are removed, which rewrites the lines.
  enforce: 'pre',
  transform: {
    filter: { id: /\/contract\/src\/.*calls\.ts$/ },
    // Lines keep their numbers.
    handler: (code) => ({ code: code.replace(summary, "$1'',"), map: null }),
  },
});
