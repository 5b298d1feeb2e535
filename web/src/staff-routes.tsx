import { type RouteObject, redirect } from 'react-router';
import { loadDayPage, loadMonthPage, ScheduleRoutes } from './features/schedule/ScheduleRoutes.tsx';
import { patterns, to } from './paths.ts';
import { guarded, page } from './route-parts.ts';
import { Splash } from './ui/light/Splash.tsx';

/** The pages of staff, in their frame. */
export const staffRoutes: RouteObject[] = [
  {
    middleware: guarded,
    children: [
      {
        path: patterns.user,
        lazy: page(async () => (await import('./features/users/AccountPage.tsx')).AccountPage),
      },
      {
        path: patterns.patientList,
        lazy: page(async () => (await import('./features/patients/PatientListPage.tsx')).PatientListPage),
      },
      {
        path: patterns.patientEdit,
        lazy: page(async () => (await import('./features/patients/PatientEditPage.tsx')).PatientEditPage),
        // ROUTE-4: the child is at both addresses.
        children: [{ index: true as const }, { path: 'appointments' }].map((at) => ({
          ...at,
          lazy: page(
            async () => (await import('./features/patients/PatientAppointmentsRoute.tsx')).PatientAppointmentsRoute,
          ),
        })),
      },
      {
        path: patterns.photoList,
        lazy: page(async () => (await import('./features/photos/PhotoListPage.tsx')).PhotoListPage),
      },
      {
        path: patterns.photo,
        lazy: page(async () => (await import('./features/photos/PhotoPage.tsx')).PhotoPage),
      },
      {
        path: patterns.appointmentList,
        lazy: page(async () => (await import('./features/appointments/AppointmentListPage.tsx')).TodayRoute),
      },
      {
        path: patterns.appointmentListDay,
        lazy: page(async () => (await import('./features/appointments/AppointmentListPage.tsx')).AppointmentListPage),
      },
      { path: patterns.schedule, Component: Splash, loader: () => redirect(to.scheduleMonthly()) },
      {
        Component: ScheduleRoutes,
        children: [
          {
            path: patterns.scheduleMonthly,
            lazy: page(async () => (await loadMonthPage()).MonthTodayRoute),
          },
          {
            path: patterns.scheduleMonthlyOf,
            lazy: page(async () => (await loadMonthPage()).MonthPage),
          },
          {
            path: patterns.scheduleDaily,
            lazy: page(async () => (await loadDayPage()).DayTodayRoute),
          },
          {
            path: patterns.scheduleDailyOf,
            lazy: page(async () => (await loadDayPage()).DayPage),
          },
        ],
      },
      { path: patterns.admin, Component: Splash, loader: () => redirect(to.adminHome()) },
      {
        path: patterns.adminHome,
        lazy: page(async () => (await import('./features/admin/AdminHomePage.tsx')).AdminHomePage),
      },
      {
        lazy: page(async () => (await import('./layout/SignedOutFrame.tsx')).SignedOutFrame),
        children: [
          {
            path: patterns.adminScheduling,
            lazy: page(async () => (await import('./features/scheduling-rules/RuleListPage.tsx')).RuleListPage),
          },
          {
            path: patterns.adminSchedulingEdit,
            lazy: page(async () => (await import('./features/scheduling-rules/RuleEditPage.tsx')).RuleEditPage),
          },
          {
            path: patterns.adminTimeOff,
            lazy: page(async () => (await import('./features/time-off/TimeOffPage.tsx')).TimeOffPage),
          },
          ...[patterns.adminPayment, patterns.adminPaymentOf].map((path) => ({
            path,
            lazy: page(async () => (await import('./features/licenses/LicensePage.tsx')).LicensePage),
          })),
        ],
      },
      ...[patterns.adminUsers, patterns.adminUsersOf].map((path) => ({
        path,
        lazy: page(async () => (await import('./features/users/UserListPage.tsx')).UserListPage),
      })),
      ...[patterns.adminUserEdit, patterns.adminUserEditIn].map((path) => ({
        path,
        lazy: page(async () => (await import('./features/users/UserEditPage.tsx')).UserEditPage),
      })),
      {
        path: patterns.adminUserAddProvider,
        lazy: page(async () => (await import('./features/users/UserEditPage.tsx')).AddProviderPage),
      },
      {
        path: patterns.adminCompanies,
        lazy: page(async () => (await import('./features/companies/CompanyListPage.tsx')).CompanyListPage),
      },
      ...[patterns.adminCompanyOwn, patterns.adminCompanyEdit].map((path) => ({
        path,
        lazy: page(async () => (await import('./features/companies/CompanyEditPage.tsx')).CompanyEditPage),
      })),
      {
        path: patterns.adminPromos,
        lazy: page(async () => (await import('./features/promos/PromoListPage.tsx')).PromoListPage),
      },
      {
        path: patterns.adminPromoEdit,
        lazy: page(async () => (await import('./features/promos/PromoEditPage.tsx')).PromoEditPage),
      },
      {
        path: patterns.adminLedger,
        lazy: page(async () => (await import('./features/ledger/LedgerPage.tsx')).LedgerPage),
      },
      {
        path: patterns.adminData,
        lazy: page(async () => (await import('./features/data-export/DataPage.tsx')).DataPage),
      },
      {
        path: patterns.adminBrands,
        lazy: page(async () => (await import('./features/brands/BrandListPage.tsx')).BrandListPage),
      },
      {
        path: patterns.adminBrandEdit,
        lazy: page(async () => (await import('./features/brands/BrandEditPage.tsx')).BrandEditPage),
      },
      ...[patterns.adminAudit, patterns.adminAuditOf].map((path) => ({
        path,
        lazy: page(async () => (await import('./features/audit/AuditPage.tsx')).AuditPage),
      })),
      ...[patterns.appointmentEdit, patterns.appointmentEditSlot].map((path) => ({
        path,
        lazy: page(async () => (await import('./features/appointments/AppointmentEditPage.tsx')).AppointmentEditPage),
      })),
      {
        path: patterns.recordings,
        lazy: page(async () => (await import('./features/recordings/RecordingsPage.tsx')).RecordingsPage),
      },
      {
        path: patterns.instantAppointment,
        lazy: page(
          async () => (await import('./features/appointments/InstantAppointmentPage.tsx')).InstantAppointmentPage,
        ),
      },
    ],
  },
];
