import { getAuditState as call } from '@roomside/contract/audit/calls.ts';
import { readAuditState } from '../../platform/audit-state.ts';
import { forUsers } from '../../platform/http/handler.ts';

export const getAuditState = forUsers(call, async ({ tx }) => readAuditState(tx));
