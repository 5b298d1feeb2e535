import * as z from 'zod/mini';
import { call } from '../call.ts';
import { version } from '../shape.ts';

/** The longest time that records can be kept before they are deleted, months. */
export const maxRetentionMonths = 1200;

const months = z.nullable(z.int().check(z.gte(1), z.lte(maxRetentionMonths)));

/** How long records are kept, months; null = for ever. Files include photos. */
const retention = { chats: months, files: months, recordings: months };
const retentionObject = z.object(retention);
export type Retention = z.infer<typeof retentionObject>;

/** How many records are older than that: messages, files with photos, segments of recordings. */
const overdue = z.object({ chats: z.int(), files: z.int(), recordings: z.int() });
export type Overdue = z.infer<typeof overdue>;

export const getRetention = call({
  name: 'getRetention',
  summary: 'How long the caller’s company keeps chats, files and recordings.',
  method: 'GET',
  path: '/api/company/retention',
  who: ['A'],
  unlicensed: 'yes',
  result: z.object({ ...retention, version }),
});

const term = z.optional(z.int().check(z.gte(1), z.lte(maxRetentionMonths)));

/** Terms that are left out: nothing is deleted. */
export const countOverdue = call({
  name: 'countOverdue',
  summary: 'How many records the next daily run would delete with these settings.',
  method: 'GET',
  path: '/api/company/retention/overdue',
  who: ['A'],
  query: z.object({ chats: term, files: term, recordings: term }),
  result: overdue,
});

export const saveRetention = call({
  name: 'saveRetention',
  summary:
    'Saves how long chats, files and recordings are kept. Older ones are deleted for good by the next daily run.',
  method: 'PUT',
  path: '/api/company/retention',
  who: ['A'],
  body: z.object({ ...retention, version }),
  result: z.object({ version }),
  refusals: ['stale', 'confirm-identity'],
});
