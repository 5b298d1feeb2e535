/** The kind of a transaction; row-level security depends on it (migrations, app_kind). */
export type TxKind =
  | { kind: 'unauthenticated' }
  | { kind: 'super' }
  /** The sealed keys of all companies, and the audit chain. */
  | { kind: 'installation' }
  | { kind: 'company'; companyId: number }
  | { kind: 'job'; companyId: number }
  /** A booking by link: a company without its patients. */
  | { kind: 'booking'; companyId: number }
  | { kind: 'patient'; companyId: number; patientId: number };
