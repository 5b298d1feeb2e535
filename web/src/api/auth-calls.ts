import type * as auth from '@roomside/contract/auth/calls.ts';
import type * as booking from '@roomside/contract/booking/calls.ts';
import type { Call } from '@roomside/contract/call.ts';
import type * as mine from '@roomside/contract/my-appointments/calls.ts';

/**
 * The calls of the patient's first page, without their schemas, which would triple what a patient's phone loads first.
 * auth-calls.test.ts compares them with the contract.
 */
function authCall<C extends Call>(name: C['name'], path: C['path']): C {
  const call: Partial<Call> = { name, method: 'POST', path, who: 'anyone', format: 'json', creates: false };
  return call as C;
}

export const listMyAppointments: typeof mine.listMyAppointments = {
  ...authCall<typeof mine.listMyAppointments>('listMyAppointments', '/api/my-appointments'),
  method: 'GET',
  who: ['P'],
};
export const login = authCall<typeof auth.login>('login', '/api/auth/login');
export const refresh = authCall<typeof auth.refresh>('refresh', '/api/auth/refresh');
export const logout = authCall<typeof auth.logout>('logout', '/api/auth/logout');
export const getBrand: typeof auth.getBrand = {
  ...authCall<typeof auth.getBrand>('getBrand', '/api/brand'),
  method: 'GET',
};
export const getBookingPage: typeof booking.getBookingPage = {
  ...authCall<typeof booking.getBookingPage>('getBookingPage', '/api/booking/:companyUid'),
  method: 'GET',
};
