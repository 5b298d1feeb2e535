import { countText, numberText } from '../count-text.ts';
import type { erasureReasons } from '../patients/calls.ts';
import type { AuditRow, AuditSubject } from './calls.ts';

const nouns = { patient: 'Patient', appointment: 'Appointment', user: 'User', guest: 'Guest', company: 'Company' };

/** What retention deletes, as its rows name it. */
export const deletedNouns = {
  chat_messages: ['message', 'messages'],
  files: ['file', 'files'],
  photos: ['photo', 'photos'],
  recording_blobs: ['part of a recording', 'parts of recordings'],
} as const;
export type DeletedKind = keyof typeof deletedNouns;

/** What retention has a term for. */
export const keptNouns = { chats: 'chats', files: 'files and photos', recordings: 'recordings' } as const;
export type KeptKind = keyof typeof keptNouns;

/** Why a patient was erased. */
export const erasureReasonTexts: Record<(typeof erasureReasons)[number], string> = {
  asked: 'The patient asked for it',
  law: 'A court or an authority ordered it',
  mistake: 'The record was made by mistake',
};

/** A time in months, as years where it is that. */
export const monthsText = (months: number): string =>
  months % 12 === 0 ? countText(months / 12, 'year', 'years') : countText(months, 'month', 'months');

/** Words of the audit log that the list and its download share. */
export const auditTexts = {
  actor: ({ kind, id, name }: AuditRow['actor']): string => {
    if (name !== null) return name;
    if (kind === 'installation') return 'Administrator of the installation';
    if (kind === 'system') return 'Roomside';
    return id === null ? 'Not signed in' : `${kind === 'unknown' ? nouns.user : nouns[kind]} ${id} (deleted)`;
  },
  /** `when` is the start of an appointment. */
  subject: ({ kind, id, name }: AuditSubject, when?: string): string => {
    if (name === null) return `${nouns[kind]} ${id} (deleted)`;
    return kind === 'appointment' && when !== undefined ? `${name}, ${when}` : name;
  },
  deleted: (kind: DeletedKind, count: number): string => countText(count, deletedNouns[kind][0], deletedNouns[kind][1]),
  allDeleted: (counts: readonly string[]): string => `Deleted: ${counts.join(', ')}`,
  /** `months` null = kept for ever. */
  kept: (kind: KeptKind, months: number | null): string =>
    `${keptNouns[kind]} ${months === null ? 'forever' : `for ${monthsText(months)}`}`,
  allKept: (terms: readonly string[]): string => `Kept: ${terms.join(', ')}`,
  reason: (reason: (typeof erasureReasons)[number]): string => `Reason: ${erasureReasonTexts[reason]}`,
  cutOff: (rows: number): string =>
    `Only the newest ${numberText(rows)} entries are here. Choose fewer days for the others.`,
} as const;
