/** The ids that were read or changed, by kind, in an audit row. */
export type AuditObjects = Record<string, number | string | readonly (number | string)[]>;
