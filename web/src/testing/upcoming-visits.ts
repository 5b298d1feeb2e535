/** A patient's only upcoming visit. */
export const upcomingVisit = {
  appointmentUid: 'a'.repeat(32),
  version: 1,
  startDate: '2031-04-10T15:00:00.000Z',
  endDate: '2031-04-10T15:30:00.000Z',
  doctor: { userId: 1, firstName: 'Ada', lastName: 'Ames' },
  changeUntil: '2031-04-09T15:00:00.000Z',
  hasReceipt: false,
};

/** The patient's upcoming visits, as the server returns them. */
export const upcomingVisits = {
  data: [upcomingVisit],
  companyName: 'River Clinic',
  companyUid: null,
  timeZone: 'UTC',
  noticeHours: 24,
  supportEmail: '',
  firstDay: '2031-04-01',
  lastDay: '2031-06-30',
  now: '2031-04-01T12:00:00.000Z',
};
