/** Which ids were read or changed, by kind: what an audit row names. */
export type AuditObjects = Record<string, number | string | readonly (number | string)[]>;
