import * as z from 'zod/mini';
import { call } from '../call.ts';
import { date, id, listQuery, listResult } from '../shape.ts';
import { auditKinds } from './actions.ts';

/** Totals up to this are counted; above it the total is unknown. */
export const maxAuditTotal = 1_000;
/** The newest rows that a download has. */
export const maxAuditDownload = 20_000;

/** What the log is filtered by. Days are the company's, UTC for a Super. */
const auditFilter = {
  /** A user or patient who acted. */
  personId: z.optional(id),
  /** A patient who is concerned, also by an appointment. */
  patientId: z.optional(id),
  from: z.optional(date),
  to: z.optional(date),
  kind: z.optional(z.enum(auditKinds)),
};

/**
 * Who acted, with the role at that time. `name` null = deleted, or not someone of the company; `id` null = the system, or someone who
 * was not signed in.
 */
const auditActor = z.object({
  kind: z.enum(['user', 'patient', 'guest', 'installation', 'system', 'unknown']),
  id: z.nullable(z.int()),
  name: z.nullable(z.string()),
  roleId: z.nullable(z.enum(['A', 'D', 'U'])),
});

/** Someone or something concerned; `name` null = deleted. An appointment has its patient's name and its start. */
const auditSubject = z.object({
  kind: z.enum(['patient', 'appointment', 'user', 'guest', 'company']),
  id: z.int(),
  name: z.nullable(z.string()),
  startDate: z.nullable(z.string()),
});
export type AuditSubject = z.infer<typeof auditSubject>;

const auditRow = z.object({
  auditId: z.int(),
  at: z.string(),
  actor: auditActor,
  /** A name in `auditActions`. */
  action: z.string(),
  /** What was deleted, how long records are kept, or why a patient was erased; null for other actions. */
  details: z.nullable(z.string()),
  /** Why it was refused; null = it was not. */
  refused: z.nullable(z.string()),
  /** How often the same was refused within a second. */
  count: z.int(),
  subjects: z.array(auditSubject),
  /** Further subjects that are not in `subjects`. */
  more: z.int(),
  /** The network address; '' for jobs. */
  address: z.string(),
});
export type AuditRow = z.infer<typeof auditRow>;

/** The audit log, newest first. A Super sees the rows without a company. */
export const listAuditLog = call({
  name: 'listAuditLog',
  summary: 'Who viewed or changed what of whom.',
  method: 'GET',
  path: '/api/audit',
  who: ['A', 'Super'],
  query: z.object({ ...listQuery(['at']), ...auditFilter }),
  result: listResult(auditRow),
});

export const downloadAuditLog = call({
  name: 'downloadAuditLog',
  summary: 'The filtered audit log as CSV.',
  method: 'GET',
  path: '/api/audit/csv',
  who: ['A', 'Super'],
  query: z.object(auditFilter),
  format: 'text/csv',
});

/** What the servers’ hourly check of the hash chain has found. */
export const getAuditState = call({
  name: 'getAuditState',
  summary: 'Whether the audit log is whole.',
  method: 'GET',
  path: '/api/audit/state',
  who: ['A', 'Super'],
  result: z.object({
    /** The time of the last check; null = none yet. */
    checkedAt: z.nullable(z.string()),
    /** The time of the last row that is proved unchanged. */
    verifiedTo: z.nullable(z.string()),
    /** When a check first found that rows were changed or removed; null = they are whole. */
    brokenAt: z.nullable(z.string()),
  }),
});
