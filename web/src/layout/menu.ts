import type { SvgIconComponent } from '@mui/icons-material';
import AccountCircleOutlinedIcon from '@mui/icons-material/AccountCircleOutlined';
import AdminPanelSettingsOutlinedIcon from '@mui/icons-material/AdminPanelSettingsOutlined';
import BadgeOutlinedIcon from '@mui/icons-material/BadgeOutlined';
import CalendarMonthOutlinedIcon from '@mui/icons-material/CalendarMonthOutlined';
import LogoutIcon from '@mui/icons-material/Logout';
import PeopleAltOutlinedIcon from '@mui/icons-material/PeopleAltOutlined';
import TodayOutlinedIcon from '@mui/icons-material/TodayOutlined';
import VideocamOutlinedIcon from '@mui/icons-material/VideocamOutlined';
import { may } from '@roomside/contract/permissions.ts';
import { isClinicStaff, type Session } from '../api/session.ts';
import { to } from '../paths.ts';
import { texts } from './texts.ts';

export interface MenuEntry {
  label: string;
  path: string;
  /** The entry is the current one on every address that begins with this. */
  area: string;
  icon: SvgIconComponent;
  sees: (session: Session) => boolean;
}

const signedOut = (session: Session) => session.status === 'out';
const signedIn = (session: Session) => session.status === 'in';
const allowed = (action: Parameters<typeof may>[1]) => (session: Session) =>
  session.status === 'in' && may(session.caller, action);

/** The main menu (MENU-1 to MENU-3), in its order, and who sees what. */
const entries: readonly MenuEntry[] = [
  {
    label: texts.today,
    path: to.appointmentList(),
    area: '/appointment-',
    icon: TodayOutlinedIcon,
    sees: isClinicStaff,
  },
  {
    label: texts.schedule,
    path: to.scheduleMonthly(),
    area: '/schedule',
    icon: CalendarMonthOutlinedIcon,
    sees: isClinicStaff,
  },
  {
    label: texts.patients,
    path: to.patientList(),
    area: '/patient-',
    icon: PeopleAltOutlinedIcon,
    sees: isClinicStaff,
  },
  { label: texts.patientLogin, path: to.link(), area: to.link(), icon: VideocamOutlinedIcon, sees: signedOut },
  { label: texts.providerLogin, path: to.login(), area: to.login(), icon: BadgeOutlinedIcon, sees: signedOut },
  {
    label: texts.admin,
    path: to.admin(),
    area: to.admin(),
    icon: AdminPanelSettingsOutlinedIcon,
    sees: allowed('admin.area'),
  },
  {
    label: texts.myAccount,
    path: to.user(),
    area: to.user(),
    icon: AccountCircleOutlinedIcon,
    sees: allowed('account.menu'),
  },
  { label: texts.logout, path: to.logout(), area: to.logout(), icon: LogoutIcon, sees: signedIn },
];

/** What this person's main menu shows. */
export function menuFor(session: Session): readonly MenuEntry[] {
  return entries.filter(({ sees }) => sees(session));
}
