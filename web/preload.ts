import type { HtmlTagDescriptor, Plugin } from 'vite';

/** Preloads of every page, in the document, so that they load together with the entry. */
const always = ['rolldown-runtime', 'react', 'light'];

/** Adds the static imports of the entry to index.html. */
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
