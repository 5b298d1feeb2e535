import { listRoles as call, roles } from '@roomside/contract/users/calls.ts';
import { forUsers } from '../../platform/http/handler.ts';

/** CALL-19. */
export const listRoles = forUsers(call, async () => ({ data: [...roles] }));
