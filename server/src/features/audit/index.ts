import { downloadAuditLog } from './download-audit-log.ts';
import { getAuditState } from './get-audit-state.ts';
import { listAuditLog } from './list-audit-log.ts';

export const auditCalls = [listAuditLog, downloadAuditLog, getAuditState];
