import type { HtmlTagDescriptor, Plugin } from 'vite';

/** What every page loads, whatever its address: named in the page itself, so that it comes together with the entry. */
const always = ['rolldown-runtime', 'react', 'light'];

/** Names in index.html the chunks that the entry imports in any case. */
export function preload(): Plugin {
  return {
    name: 'preload',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const chunks = Object.values(bundle ?? {}).filter((file) => file.type === 'chunk');
        return always.map((name): HtmlTagDescriptor => {
          const chunk = chunks.find((one) => one.name === name);
          if (!chunk) throw new Error(`The build has no chunk ${name}.`);
          return {
            tag: 'link',
            attrs: { rel: 'modulepreload', crossorigin: '', href: `/${chunk.fileName}` },
            injectTo: 'head',
          };
        });
      },
    },
  };
}
