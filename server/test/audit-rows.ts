import pg from 'pg';
import type { TestApp } from './test-app.ts';

export interface AuditRow {
  readonly company_id: number | null;
  readonly actor: string;
  readonly action: string;
  readonly path: string;
  readonly objects: Record<string, unknown>;
  readonly address: string;
}

/** Returns the audit rows, oldest first. Writes pending refusals before. */
export async function auditRows(app: TestApp): Promise<AuditRow[]> {
  await app.context.security.flush();
  const client = new pg.Client(app.database.owner);
  await client.connect();
  try {
    const { rows } = await client.query<AuditRow>(
      'select company_id::int, actor, action, path, objects, address from audit_log order by audit_id',
    );
    return rows;
  } finally {
    await client.end();
  }
}

/** Returns a function that returns the audit rows that were added after this call. */
export async function watchAudit(app: TestApp): Promise<() => Promise<AuditRow[]>> {
  const before = (await auditRows(app)).length;
  return async () => (await auditRows(app)).slice(before);
}
