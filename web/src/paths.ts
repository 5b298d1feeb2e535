import { fillPath } from '@roomside/contract/call.ts';

/** Every address of the web (ROUTE-1 to ROUTE-8), without the '#'. */
export const patterns = {
  home: '/',
  link: '/link',
  linkCode: '/link/:code',
  login: '/login',
  loginToken: '/login/:token',
  logout: '/logout',
  /** Every component in each state; in the demo only. */
  design: '/dev/design',
  signup: '/signup',
  /** The link of a sign-up's mail. */
  signupToken: '/signup/:token',
  reset: '/reset/:uid',
  requestReset: '/request-reset',
  thankYou: '/thank-you',
  user: '/user',
  patientPayment: '/patient-payment/:uid',
  /** For the patient and for staff. */
  receipt: '/receipt/:uid',
  /** Of people who were invited to one visit: before joining, while no provider is there, in the room, afterwards. */
  guestLink: '/guest/:code',
  guest: '/guest',
  guestRoom: '/guest/room',
  guestLeft: '/guest/left',
  guestOver: '/guest/over',
  appointment: '/appointment/:uid',
  /** The patient's side, with the toolbar shown. */
  appointmentPatient: '/appointment/:uid/pt',
  /** Any other third segment: the toolbar is hidden from the start (ROOM-1). */
  appointmentToolbar: '/appointment/:uid/:toolbar',
  waitingRoom: '/waiting-room',
  instantAppointment: '/instant-appointment',
  patientList: '/patient-list',
  patientEdit: '/patient-edit/:id',
  patientAppointments: '/patient-edit/:id/appointments',
  appointmentList: '/appointment-list',
  /** YYYY-MM-DD. */
  appointmentListDay: '/appointment-list/:date',
  /** Both 0 for a new one without a patient. */
  appointmentEdit: '/appointment-edit/:patient/:id',
  /** YYYY-MM-DD, HHmm in the company's zone. */
  appointmentEditSlot: '/appointment-edit/:date/:time/:doctor',
  recordings: '/recordings/:id',
  photoList: '/photo-list/:patient',
  photo: '/photo/:patient/:uid',
  admin: '/admin',
  adminHome: '/admin/home',
  adminUsers: '/admin/user',
  adminUsersOf: '/admin/user/:company',
  adminUserEdit: '/admin/user/edit/:id',
  adminUserEditIn: '/admin/user/edit/:id/:company',
  /** APPT-2: an old address; redirects to the user editor. */
  adminUserAddProvider: '/admin/user/0/D',
  adminCompanies: '/admin/company',
  adminCompanyEdit: '/admin/company/edit/:id',
  /** The caller's own company. */
  adminCompanyOwn: '/admin/company/edit',
  adminBrands: '/admin/brand',
  adminBrandEdit: '/admin/brand/edit/:id',
  adminPayment: '/admin/payment',
  adminPaymentOf: '/admin/payment/:id',
  /** An invoice of a license, also for paper. */
  adminInvoice: '/admin/invoice/:number',
  adminPromos: '/admin/promo',
  adminPromoEdit: '/admin/promo/edit/:id',
  /** What was collected and what is owed. */
  adminLedger: '/admin/ledger',
  adminScheduling: '/admin/scheduling',
  adminSchedulingEdit: '/admin/scheduling/edit/:ruleId',
  /** Closures of the clinic and leave of its providers. */
  adminTimeOff: '/admin/scheduling/time-off',
  adminCsvImport: '/admin/csv-import',
  adminData: '/admin/data',
  adminAudit: '/admin/audit',
  /** The entries about one patient. */
  adminAuditOf: '/admin/audit/:patient',
  schedule: '/schedule',
  scheduleMonthly: '/schedule/monthly',
  scheduleMonthlyOf: '/schedule/monthly/:date',
  scheduleDaily: '/schedule/daily',
  scheduleDailyOf: '/schedule/daily/:date',
  patient: '/patient',
  patientBook: '/patient/book/:companyUid',
  notFound: '/not-found',
  offline: '/offline',
} as const;

type Patterns = typeof patterns;
type ParamOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamOf<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;
type Build<Path extends string> = [ParamOf<Path>] extends [never]
  ? () => string
  : (params: Record<ParamOf<Path>, string | number>) => string;

/** The links: `to.patientEdit({ id: 7 })` is '/patient-edit/7'. */
export const to = Object.fromEntries(
  Object.entries(patterns).map(([name, pattern]) => [
    name,
    (params?: Record<string, string | number>) => fillPath(pattern, params),
  ]),
) as { [Name in keyof Patterns]: Build<Patterns[Name]> };

/** The access code in a path of /link/{code}; undefined for every other path. */
export function accessCodeOf(path: string): string | undefined {
  const segment = path.startsWith(`${patterns.link}/`) ? path.slice(patterns.link.length + 1) : '';
  try {
    return decodeURIComponent(segment) || undefined;
  } catch {
    return segment;
  }
}

/** A link for another browser, e.g. the patient's (APPT-3). */
export function absoluteLink(path: string): string {
  return `${location.origin}${location.pathname}#${path}`;
}

/** APPT-1: a new appointment with known values. `date` is YYYY-MM-DD in the company's zone. */
export function newAppointment(known: { patient?: number; doctor?: number; date?: string }): string {
  const { patient = 0, ...wishes } = known;
  const query = new URLSearchParams(Object.entries(wishes).map(([name, value]) => [name, String(value)])).toString();
  return to.appointmentEdit({ patient, id: 0 }) + (query && `?${query}`);
}
