import { may } from '@roomside/contract/permissions.ts';
import { isClinicStaff, type SignInState } from '../api/sign-in-state.ts';
import { to } from '../paths.ts';
import { texts } from './texts.ts';

export interface MenuEntry {
  label: string;
  path: string;
  /** The entry is current at every address that starts with this ({@link areaOf}). */
  area: string;
  /** The icons are in AppShell.tsx. */
  icon: 'today' | 'schedule' | 'patients' | 'patient' | 'provider' | 'admin' | 'account' | 'logout';
  sees: (signIn: SignInState) => boolean;
}

const signedOut = (signIn: SignInState) => signIn.status === 'out';
const signedIn = (signIn: SignInState) => signIn.status === 'in';
const allowed = (action: Parameters<typeof may>[1]) => (signIn: SignInState) =>
  signIn.status === 'in' && may(signIn.caller, action);

/** The main menu (MENU-1 to MENU-3) in its order, with who sees each entry. */
const entries: readonly MenuEntry[] = [
  {
    label: texts.today,
    path: to.appointmentList(),
    area: '/appointment-list',
    icon: 'today',
    sees: isClinicStaff,
  },
  {
    label: texts.schedule,
    path: to.scheduleMonthly(),
    area: '/schedule',
    icon: 'schedule',
    sees: isClinicStaff,
  },
  {
    label: texts.patients,
    path: to.patientList(),
    area: '/patient-',
    icon: 'patients',
    sees: isClinicStaff,
  },
  { label: texts.patientLogin, path: to.link(), area: to.link(), icon: 'patient', sees: signedOut },
  { label: texts.providerLogin, path: to.login(), area: to.login(), icon: 'provider', sees: signedOut },
  {
    label: texts.admin,
    path: to.admin(),
    area: to.admin(),
    icon: 'admin',
    sees: allowed('admin.area'),
  },
  {
    label: texts.myAccount,
    path: to.user(),
    area: to.user(),
    icon: 'account',
    sees: allowed('account.menu'),
  },
  { label: texts.logout, path: to.logout(), area: to.logout(), icon: 'logout', sees: signedIn },
];

/** What remains of the menu while the clinic's pages are closed. */
const remaining: Record<'license' | 'factor', readonly MenuEntry['icon'][]> = {
  license: ['account', 'logout'],
  factor: ['logout'],
};

/** The entries of this person's main menu; `closed`: why the clinic's pages are closed to them. */
export function menuFor(signIn: SignInState, closed?: keyof typeof remaining): readonly MenuEntry[] {
  return entries.filter((entry) => entry.sees(signIn) && (!closed || remaining[closed].includes(entry.icon)));
}

/** Pages that are opened from several places. */
const shared: readonly string[] = ['/appointment-edit/', '/recordings/'];

/** The area of an address; of a page that is opened from several places, the one before it. Undefined without one. */
export const areaOf = (pathname: string, before: string | undefined): string | undefined =>
  shared.some((start) => pathname.startsWith(start))
    ? before
    : entries.find(({ area }) => pathname.startsWith(area))?.area;
