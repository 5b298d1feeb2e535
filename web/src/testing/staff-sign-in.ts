/** The result of `getSignIn` for one of the staff, without a company. */
export const staffSignIn = {
  role: 'U',
  userId: 7,
  patientId: null,
  firstName: 'Ada',
  lastName: 'Lee',
  idleMinutes: 30,
  remembered: false,
  company: null,
  lacksFactor: null as object | null,
};
