import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/**
 * `npm run build -w signalr` writes the package for npm to `dist`: JavaScript, declarations, documents and a manifest. This repository
 * uses the source, so the manifest of the published package is a different one: its exports name the built files, and it is not private.
 * `npm publish ./signalr/dist` publishes it.
 */
const folder = import.meta.dirname;
const dist = path.join(folder, 'dist');

/** Fields that only this repository uses. */
const ownFields = ['private', 'scripts', 'devDependencies'];
const documents = ['README.md', 'SPEC.md', 'CHANGELOG.md', 'SECURITY.md', 'LICENSE'];

interface Manifest extends Record<string, unknown> {
  readonly exports: Readonly<Record<string, string>>;
}

/** Returns the manifest of the published package. */
function publishedManifest(manifest: Manifest): object {
  const fields = Object.entries(manifest).filter(([name]) => !ownFields.includes(name));
  const exports = Object.entries(manifest.exports).map(([name, source]) => {
    const built = source.replace('./src/', './lib/').replace(/\.ts$/, '');
    return [name, { types: `${built}.d.ts`, default: `${built}.js` }];
  });
  return { ...Object.fromEntries(fields), exports: Object.fromEntries(exports) };
}

fs.rmSync(dist, { recursive: true, force: true });
const tsc = path.join(folder, '../node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [tsc, '-p', path.join(folder, 'tsconfig.build.json')], { stdio: 'inherit' });
for (const name of documents) fs.copyFileSync(path.join(folder, name), path.join(dist, name));
fs.cpSync(path.join(folder, 'examples'), path.join(dist, 'examples'), { recursive: true });
const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest;
fs.writeFileSync(path.join(dist, 'package.json'), `${JSON.stringify(publishedManifest(manifest), null, 2)}\n`);
