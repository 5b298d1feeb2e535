import type { ComponentType } from 'react';
import { type MiddlewareFunction, matchRoutes, type RouteObject, redirect, replace, useParams } from 'react-router';
import type { adminPages } from './admin-pages.ts';
import { OfflineError } from './api/problem.ts';
import { LinkPage } from './features/auth/LinkPage.tsx';
import { loadDayPage, loadMonthPage, ScheduleRoutes } from './features/schedule/ScheduleRoutes.tsx';
import { WaitingRoomRoute } from './features/waiting-room/WaitingRoomRoute.tsx';
import { guardDesign, guardLink, guardLogin, guardPage } from './guards.ts';
import { AuthShell } from './layout/AuthShell.tsx';
import { OfflinePage } from './layout/OfflinePage.tsx';
import { rememberOffline } from './layout/offline.ts';
import { Root, StaffFrame } from './layout/Root.tsx';
import { RouteError } from './layout/RouteError.tsx';
import { loadDocumentOf } from './own-document.ts';
import { patterns, to } from './paths.ts';
import { Splash } from './ui/light/Splash.tsx';

/** A lazily loaded screen: `page(async () => (await import('./X.tsx')).XPage)`. */
export function page(load: () => Promise<ComponentType>): NonNullable<RouteObject['lazy']> {
  return async () => ({ Component: await load() });
}

const adminPage = (name: keyof typeof adminPages) =>
  page(async () => (await import('./admin-pages.ts')).adminPages[name]());

/** Runs before every navigation to a page below it; redirects elsewhere, or to /offline. */
export function guard(where: (path: string) => Promise<string | undefined>): MiddlewareFunction {
  return async ({ request }) => {
    const { pathname, search } = new URL(request.url);
    const path = pathname + search;
    const elsewhere = await where(path).catch((error: unknown) => {
      if (!(error instanceof OfflineError)) throw error;
      rememberOffline(path);
      return to.offline();
    });
    if (!elsewhere || elsewhere === path) return;
    // A typed address is in the history already; without `replace` it would redirect on every way back.
    if (location.hash.slice(1) !== path) throw redirect(elsewhere);
    if (loadDocumentOf(elsewhere, true)) await new Promise(() => {});
    throw replace(elsewhere);
  };
}

/** A guarded screen (ROUTE-9). */
export const guarded: MiddlewareFunction[] = [guard(guardPage)];
/** For /login: redirects a signed-in person. */
export const loginGuarded: MiddlewareFunction[] = [guard(guardLogin)];

/** A page of another document is not opened in this one: the navigation waits until the other has replaced it. */
const inItsDocument: MiddlewareFunction = async ({ request }) => {
  const { pathname, search } = new URL(request.url);
  if (loadDocumentOf(pathname + search)) await new Promise(() => {});
};

function LinkRoute() {
  const { code } = useParams();
  return <LinkPage key={code ?? ''} code={code} />;
}

/** All existing screens (ROUTE-1 to ROUTE-9). */
export const routes: RouteObject[] = [
  {
    Component: Root,
    HydrateFallback: Splash,
    ErrorBoundary: RouteError,
    middleware: [inItsDocument],
    children: [
      { path: patterns.home, Component: Splash, loader: () => redirect(to.link()) },
      { path: patterns.link, Component: LinkRoute, middleware: [guard(guardLink)] },
      { path: patterns.linkCode, Component: LinkRoute },
      {
        Component: AuthShell,
        children: [
          {
            path: patterns.login,
            middleware: loginGuarded,
            lazy: page(async () => (await import('./features/auth/LoginPage.tsx')).LoginPage),
          },
          {
            path: patterns.loginToken,
            lazy: page(async () => (await import('./features/auth/LoginTokenPage.tsx')).LoginTokenPage),
          },
          {
            lazy: page(async () => (await import('./ui/StaffTheme.tsx')).ThemedRoutes),
            children: [
              {
                path: patterns.design,
                middleware: [guard(guardDesign)],
                lazy: page(async () => (await import('./features/design/DesignPage.tsx')).DesignPage),
              },
              {
                path: patterns.signup,
                lazy: page(async () => (await import('./features/auth/SignUpPage.tsx')).SignUpPage),
              },
              {
                path: patterns.signupToken,
                lazy: page(async () => (await import('./features/auth/ConfirmSignUpPage.tsx')).ConfirmSignUpPage),
              },
              {
                path: patterns.requestReset,
                lazy: page(async () => (await import('./features/auth/RequestResetPage.tsx')).RequestResetPage),
              },
              {
                path: patterns.reset,
                lazy: page(async () => (await import('./features/auth/ResetPage.tsx')).ResetPage),
              },
            ],
          },
        ],
      },
      {
        path: patterns.logout,
        lazy: page(async () => (await import('./features/auth/LogoutPage.tsx')).LogoutPage),
      },
      {
        path: patterns.thankYou,
        lazy: page(async () => (await import('./features/auth/ThankYouPage.tsx')).ThankYouPage),
      },
      {
        path: patterns.patient,
        middleware: guarded,
        lazy: page(async () => (await import('./features/my-visits/MyVisitsPage.tsx')).MyVisitsPage),
      },
      {
        path: patterns.patientBook,
        lazy: page(async () => (await import('./features/booking/BookingPage.tsx')).BookingPage),
      },
      {
        path: patterns.guestLink,
        lazy: page(async () => (await import('./features/guests/InvitationPage.tsx')).InvitationPage),
      },
      {
        path: patterns.guest,
        middleware: guarded,
        lazy: page(async () => (await import('./features/guests/GuestWaitingPage.tsx')).GuestWaitingPage),
      },
      ...[patterns.guestLeft, patterns.guestOver].map((path) => ({
        path,
        lazy: page(async () => (await import('./features/guests/GuestGonePage.tsx')).GuestGonePage),
      })),
      {
        path: patterns.patientPayment,
        middleware: guarded,
        lazy: page(async () => (await import('./features/payments/PatientPaymentPage.tsx')).PatientPaymentPage),
      },
      {
        path: patterns.receipt,
        middleware: guarded,
        lazy: page(async () => (await import('./features/payments/ReceiptPage.tsx')).ReceiptPage),
      },
      ...[patterns.guestRoom, patterns.appointmentPatient, patterns.appointment, patterns.appointmentToolbar].map(
        (path) => ({
          path,
          middleware: guarded,
          lazy: page(async () => (await import('./features/room/RoomPage.tsx')).RoomPage),
        }),
      ),
      {
        Component: StaffFrame,
        middleware: guarded,
        children: [{ path: patterns.waitingRoom, Component: WaitingRoomRoute }],
      },
      {
        lazy: page(async () => (await import('./layout/StaffShell.tsx')).StaffShell),
        children: [
          {
            path: patterns.notFound,
            lazy: page(async () => (await import('./layout/NotFoundPage.tsx')).NotFoundPage),
          },
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
                    async () =>
                      (await import('./features/patients/PatientAppointmentsRoute.tsx')).PatientAppointmentsRoute,
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
                lazy: page(
                  async () => (await import('./features/appointments/AppointmentListPage.tsx')).AppointmentListPage,
                ),
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
                path: patterns.adminCsvImport,
                lazy: adminPage('csvImport'),
              },
              {
                path: patterns.adminData,
                lazy: adminPage('data'),
              },
              {
                path: patterns.adminBrands,
                lazy: adminPage('brands'),
              },
              {
                path: patterns.adminBrandEdit,
                lazy: adminPage('brand'),
              },
              ...[patterns.adminAudit, patterns.adminAuditOf].map((path) => ({
                path,
                lazy: page(async () => (await import('./features/audit/AuditPage.tsx')).AuditPage),
              })),
              ...[patterns.appointmentEdit, patterns.appointmentEditSlot].map((path) => ({
                path,
                lazy: page(
                  async () => (await import('./features/appointments/AppointmentEditPage.tsx')).AppointmentEditPage,
                ),
              })),
              {
                path: patterns.recordings,
                lazy: page(async () => (await import('./features/recordings/RecordingsPage.tsx')).RecordingsPage),
              },
              {
                path: patterns.instantAppointment,
                lazy: page(
                  async () =>
                    (await import('./features/appointments/InstantAppointmentPage.tsx')).InstantAppointmentPage,
                ),
              },
            ],
          },
        ],
      },
      { path: patterns.offline, Component: OfflinePage },
      { path: '*', Component: Splash, loader: () => redirect(to.notFound()) },
    ],
  },
];

/** True when a path leads to an existing screen; other links are not shown. */
export function isRegistered(path: string): boolean {
  const last = matchRoutes(routes, path)?.at(-1)?.route;
  return last !== undefined && last.path !== '*';
}
