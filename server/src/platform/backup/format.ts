import fs from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';

/**
 * A backup is a folder: `manifest.json`, `tables/<name>.gz` (PostgreSQL's COPY, text format, UTF-8), `blobs/` as in the
 * data folder (sealed), and the anchors of the audit log. The manifest is written last: a folder without one is an
 * incomplete backup. A backup has no plain secrets: sealed values need SECRET_KEY.
 */
const manifest = z.object({
  format: z.literal(1),
  /** ISO. */
  createdAt: z.string(),
  /** The migrations of the database, in order. */
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })),
  /** Parents before children, so that they can be filled in this order. */
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()), rows: z.int(), sha256: z.string() })),
  /** The months (YYYY-MM) with a partition of the audit log. */
  auditMonths: z.array(z.string().check(z.regex(/^\d{4}-\d{2}$/))),
  sequences: z.array(z.object({ name: z.string(), last: z.string() })),
  blobs: z.array(z.object({ file: z.string(), size: z.int(), sha256: z.string() })),
  anchors: z.boolean(),
});
export type Manifest = z.infer<typeof manifest>;

export const anchorsName = 'audit-anchors.log';
export const tableFile = (folder: string, name: string): string => path.join(folder, 'tables', `${name}.gz`);
export const manifestFile = (folder: string): string => path.join(folder, 'manifest.json');

/** The message is one sentence for the operator. */
export class BackupError extends Error {
  override name = 'BackupError';
}

/** @throws BackupError when the folder has no complete backup */
export async function readManifest(folder: string): Promise<Manifest> {
  const content = await fs.readFile(manifestFile(folder), 'utf8').catch(() => null);
  if (content === null) throw new BackupError(`There is no complete backup in ${folder}: manifest.json is missing.`);
  const read = z.safeParse(manifest, parseJson(content));
  if (!read.success) throw new BackupError(`The manifest of the backup in ${folder} cannot be read.`);
  return read.data;
}

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
