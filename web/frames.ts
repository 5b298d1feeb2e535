import path from 'node:path';
import { build, type Plugin } from 'vite';
import { isolatedFrames } from '../contract/src/isolated-frames.ts';

/**
 * Builds the isolated frames beside the application, in a separate build: they share no file with it, because theirs are read by a document
 * without an origin and may be read by everyone.
 */
export function frames(): Plugin {
  let folder = '';
  let target: string | string[] | false | undefined;
  const root = import.meta.dirname;
  return {
    name: 'frames',
    apply: 'build',
    configResolved(config) {
      folder = path.resolve(config.root, config.build.outDir);
      target = config.build.target;
    },
    writeBundle: {
      sequential: true,
      async handler() {
        await build({
          configFile: false,
          root,
          publicDir: false,
          logLevel: 'warn',
          build: {
            outDir: folder,
            emptyOutDir: false,
            assetsDir: 'frames',
            modulePreload: false,
            ...(target && { target }),
            rolldownOptions: { input: Object.values(isolatedFrames).map((frame) => path.join(root, frame.path)) },
          },
        });
      },
    },
  };
}
