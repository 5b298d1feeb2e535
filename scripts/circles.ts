import fs from 'node:fs';
import path from 'node:path';
import { root } from './steps.ts';

/**
 * Circles of imports, which the gate refuses: between files, and between the features of a workspace (the folders below
 * `src/features`, in the contract those below `src`). Type imports and imports at run time count like all others.
 */

/** Imports by module: the names are paths, or folders of features. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Each group of nodes that reach one another, sorted by name. */
export function findCircles(graph: Graph): string[][] {
  const circles: string[][] = [];
  const indexes = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const visit = (node: string): number => {
    const index = indexes.size;
    indexes.set(node, index);
    lowest.set(node, index);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      const reached = indexes.has(next) ? (stack.includes(next) ? indexes.get(next) : undefined) : visit(next);
      if (reached !== undefined) lowest.set(node, Math.min(lowest.get(node) ?? index, reached));
    }
    const low = lowest.get(node) ?? index;
    if (low === index) {
      const group = stack.splice(stack.indexOf(node));
      if (group.length > 1) circles.push(group.sort());
    }
    return low;
  };
  for (const node of graph.keys()) if (!indexes.has(node)) visit(node);
  return circles;
}

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g;

/** The files that a source file imports, as paths from the repository's folder; packages are left out. */
export function importsOf(file: string, source: string): string[] {
  return [...source.matchAll(IMPORT)].flatMap(([, name = '']) => {
    if (name.startsWith('.')) return [path.posix.join(path.posix.dirname(file), name)];
    const own = /^@roomside\/(\w+)\/(.+)$/.exec(name);
    return own ? [`${own[1]}/src/${own[2]}`] : [];
  });
}

/** The feature that a file belongs to; undefined for what features share. */
export function featureOf(file: string): string | undefined {
  return /^(?:(?:server|web)\/src\/features|contract\/src)\/[^/]+(?=\/)/.exec(file)?.[0];
}

/** The graph of the features of a graph of files. */
export function featuresOf(files: Graph): Graph {
  const features = new Map<string, Set<string>>();
  for (const [file, imports] of files) {
    const feature = featureOf(file);
    if (feature === undefined) continue;
    const others = [...imports].map(featureOf).filter((other) => other !== undefined && other !== feature);
    features.set(feature, new Set([...(features.get(feature) ?? []), ...(others as string[])]));
  }
  return features;
}

function readFiles(): Graph {
  const files = fs
    .globSync('{contract,signalr,server,web,e2e,bench,scripts}/**/*.{ts,tsx}', {
      cwd: root,
      exclude: (name) => ['node_modules', 'dist'].includes(path.basename(name)),
    })
    .sort();
  const known = new Set(files);
  return new Map(
    files.map((file) => {
      const source = fs.readFileSync(path.join(root, file), 'utf8');
      return [file, new Set(importsOf(file, source).filter((other) => known.has(other) && other !== file))];
    }),
  );
}

if (import.meta.main) {
  const files = readFiles();
  const product = new Map([...featuresOf(new Map([...files].filter(([file]) => !file.includes('.test.'))))]);
  const circles = [...findCircles(files), ...findCircles(product)];
  for (const circle of circles) console.log(`A circle of imports:\n  ${circle.join('\n  ')}`);
  console.log(`${circles.length} circles of imports.`);
  if (circles.length > 0) process.exitCode = 1;
}
