import type { getUser } from '@roomside/contract/users/calls.ts';
import type { z } from 'zod/mini';

/** A user for tests, as the server sends it: staff with a password. */
export const storedUser: z.infer<typeof getUser.result> = {
  userId: 12,
  version: 3,
  firstName: 'Ida',
  lastName: 'Holm',
  email: 'ida@example.test',
  phone: '',
  roleId: 'U',
  role: { roleId: 'U', roleName: 'Staff' },
  npi: '',
  selfPayFee: '',
  notificationType: 1,
  notifyForUsers: [],
  disabled: false,
  companyId: 1,
  company: { companyId: 1, companyName: 'River Clinic' },
  host: '',
  externalId: '',
  created: '2026-01-01T00:00:00.000Z',
  isExternal: false,
  hasPassword: true,
  hasSecondFactor: false,
  invitedAt: null,
  invitationEndedAt: null,
};
