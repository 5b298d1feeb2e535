import type { Plugin } from 'vite';

/** Lets the built pages import later code by src/import-later.ts instead of Vite's own helper. */
export function lazyImports(): Plugin {
  let isReplaced = false;
  return {
    name: 'lazy-imports',
    apply: 'build',
    transform: {
      filter: { id: /^\0vite\/preload-helper\.js$/ },
      handler: () => {
        isReplaced = true;
        return { code: "export { importLater as __vitePreload } from '/src/import-later.ts';", map: null };
      },
    },
    buildEnd(error) {
      if (!error && !isReplaced) this.error('Vite has no preload helper of this name any more.');
    },
  };
}
