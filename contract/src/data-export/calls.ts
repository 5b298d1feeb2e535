import * as z from 'zod/mini';
import { call } from '../call.ts';
import { id } from '../shape.ts';

/** How long a finished archive can be downloaded, hours. */
export const exportHours = 48;

/** The states in which an export has work or an archive. A company has at most one such export. */
export const liveExportStates = ['queued', 'running', 'ready'] as const;

/** An export of all data of a company. Times are ISO, sizes bytes. */
const dataExport = z.object({
  exportId: z.int(),
  state: z.enum([...liveExportStates, 'downloaded', 'cancelled', 'expired', 'failed']),
  requestedAt: z.string(),
  requestedBy: z.object({ firstName: z.string(), lastName: z.string() }),
  /** 0 to 100, by rows and bytes. */
  percent: z.int(),
  rowsDone: z.int(),
  rowsTotal: z.int(),
  bytesDone: z.int(),
  bytesTotal: z.int(),
  /** Of the archive; null until it is ready. */
  size: z.nullable(z.int()),
  finishedAt: z.nullable(z.string()),
  /** When the archive is deleted. */
  expiresAt: z.nullable(z.string()),
  downloadedAt: z.nullable(z.string()),
});
export type DataExport = z.infer<typeof dataExport>;

const params = z.object({ exportId: id });

export const getDataExport = call({
  name: 'getDataExport',
  summary: 'The last export of all data of the caller’s company, with its progress.',
  method: 'GET',
  path: '/api/data-export',
  who: ['A'],
  unlicensed: 'yes',
  result: z.object({ export: z.nullable(dataExport) }),
});

/** Needs the password again (confirmIdentity). An earlier archive must be downloaded or deleted before (`stale`). */
export const startDataExport = call({
  name: 'startDataExport',
  summary: 'Starts an export of all data of the caller’s company.',
  method: 'POST',
  path: '/api/data-export',
  who: ['A'],
  unlicensed: 'yes',
  result: z.object({ exportId: z.int() }),
  refusals: ['confirm-identity', 'stale'],
});

export const cancelDataExport = call({
  name: 'cancelDataExport',
  summary: 'Cancels a running export, or deletes its archive.',
  method: 'DELETE',
  path: '/api/data-export/:exportId',
  who: ['A'],
  unlicensed: 'yes',
  params,
});

/** Needs the password again (confirmIdentity). */
export const openDataExport = call({
  name: 'openDataExport',
  summary: 'Returns an address from which the caller can download the archive for ten minutes.',
  method: 'POST',
  path: '/api/data-export/:exportId/address',
  who: ['A'],
  unlicensed: 'yes',
  params,
  result: z.object({ address: z.string() }),
  refusals: ['confirm-identity'],
});

/** The archive can be downloaded once. A download that breaks off may be repeated or resumed until it is complete. */
export const downloadDataExport = call({
  name: 'downloadDataExport',
  summary: 'The archive, whole or a range, after openDataExport on the same sign-in.',
  method: 'GET',
  path: '/api/data-export/:exportId/archive',
  who: ['A'],
  unlicensed: 'yes',
  params,
  format: 'bytes',
  addressable: true,
});
