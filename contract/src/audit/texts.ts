import type { AuditRow, AuditSubject } from './calls.ts';

const nouns = { patient: 'Patient', appointment: 'Appointment', user: 'User', guest: 'Guest', company: 'Company' };

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
  cutOff: (rows: number): string =>
    `Only the newest ${rows.toLocaleString('en-US')} entries are here. Choose fewer days for the others.`,
} as const;
