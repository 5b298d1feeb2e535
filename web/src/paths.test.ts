import { expect, test } from 'vitest';
import { absoluteLink, patterns, to } from './paths.ts';

const params = {
  uid: '0123456789abcdef0123456789abcdef',
  code: 'aB3 /x',
  token: 'one-time',
  toolbar: 'hidden',
  id: 7,
  patient: 3,
  date: '2026-11-21',
  time: '0930',
  doctor: 5,
  company: 2,
  ruleId: 4,
  companyUid: 'fedcba9876543210fedcba9876543210',
};

test('links: fill the paths of the table', () => {
  const links = Object.fromEntries(
    Object.keys(patterns).map((name) => [name, (to[name as keyof typeof to] as (p: object) => string)(params)]),
  );
  expect(links).toMatchInlineSnapshot(`
    {
      "admin": "/admin",
      "adminAudit": "/admin/audit",
      "adminAuditOf": "/admin/audit/3",
      "adminCompanies": "/admin/company",
      "adminCompanyEdit": "/admin/company/edit/7",
      "adminCompanyOwn": "/admin/company/edit",
      "adminCsvImport": "/admin/csv-import",
      "adminHome": "/admin/home",
      "adminPayment": "/admin/payment",
      "adminPaymentOf": "/admin/payment/7",
      "adminPromoEdit": "/admin/promo/edit/7",
      "adminPromos": "/admin/promo",
      "adminScheduling": "/admin/scheduling",
      "adminSchedulingEdit": "/admin/scheduling/edit/4",
      "adminTimeOff": "/admin/scheduling/time-off",
      "adminUserAddProvider": "/admin/user/0/D",
      "adminUserEdit": "/admin/user/edit/7",
      "adminUserEditIn": "/admin/user/edit/7/2",
      "adminUsers": "/admin/user",
      "adminUsersOf": "/admin/user/2",
      "appointment": "/appointment/0123456789abcdef0123456789abcdef",
      "appointmentEdit": "/appointment-edit/3/7",
      "appointmentEditSlot": "/appointment-edit/2026-11-21/0930/5",
      "appointmentList": "/appointment-list",
      "appointmentListDay": "/appointment-list/2026-11-21",
      "appointmentPatient": "/appointment/0123456789abcdef0123456789abcdef/pt",
      "appointmentToolbar": "/appointment/0123456789abcdef0123456789abcdef/hidden",
      "design": "/dev/design",
      "guest": "/guest",
      "guestLeft": "/guest/left",
      "guestLink": "/guest/aB3%20%2Fx",
      "guestOver": "/guest/over",
      "guestRoom": "/guest/room",
      "home": "/",
      "instantAppointment": "/instant-appointment",
      "link": "/link",
      "linkCode": "/link/aB3%20%2Fx",
      "login": "/login",
      "loginToken": "/login/one-time",
      "logout": "/logout",
      "notFound": "/not-found",
      "offline": "/offline",
      "patient": "/patient",
      "patientAppointments": "/patient-edit/7/appointments",
      "patientBook": "/patient/book/fedcba9876543210fedcba9876543210",
      "patientEdit": "/patient-edit/7",
      "patientList": "/patient-list",
      "patientPayment": "/patient-payment/0123456789abcdef0123456789abcdef",
      "photo": "/photo/3/0123456789abcdef0123456789abcdef",
      "photoList": "/photo-list/3",
      "recordings": "/recordings/7",
      "requestReset": "/request-reset",
      "reset": "/reset/0123456789abcdef0123456789abcdef",
      "schedule": "/schedule",
      "scheduleDaily": "/schedule/daily",
      "scheduleDailyOf": "/schedule/daily/2026-11-21",
      "scheduleMonthly": "/schedule/monthly",
      "scheduleMonthlyOf": "/schedule/monthly/2026-11-21",
      "signup": "/signup",
      "signupToken": "/signup/one-time",
      "thankYou": "/thank-you",
      "user": "/user",
      "waitingRoom": "/waiting-room",
    }
  `);
});

test('absolute link: has origin and path before the hash', () => {
  expect(absoluteLink(to.linkCode({ code: 'aB3' }))).toBe(`${location.origin}${location.pathname}#/link/aB3`);
});
