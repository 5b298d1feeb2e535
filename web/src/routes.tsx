import {
  type MiddlewareFunction,
  matchRoutes,
  type PatchRoutesOnNavigationFunction,
  type RouteObject,
  redirect,
  useParams,
} from 'react-router';
import { LinkPage } from './features/auth/LinkPage.tsx';
import { WaitingRoomRoute } from './features/waiting-room/WaitingRoomRoute.tsx';
import { guardDesign, guardLink } from './guards.ts';
import { AuthShell } from './layout/AuthShell.tsx';
import { OfflinePage } from './layout/OfflinePage.tsx';
import { Root, StaffFrame } from './layout/Root.tsx';
import { RouteError } from './layout/RouteError.tsx';
import { loadDocumentOf } from './own-document.ts';
import { patterns, to } from './paths.ts';
import { guard, guarded, loginGuarded, page } from './route-parts.ts';
import { Splash } from './ui/light/Splash.tsx';

/** Where the pages of staff are added. */
const staffId = 'staff';

/** A page of another document is not opened in this one: the navigation waits until the other has replaced it. */
const inItsDocument: MiddlewareFunction = async ({ request }) => {
  const { pathname, search } = new URL(request.url);
  if (loadDocumentOf(pathname + search)) await new Promise(() => {});
};

function LinkRoute() {
  const { code } = useParams();
  return <LinkPage key={code ?? ''} code={code} />;
}

/** All existing screens (ROUTE-1 to ROUTE-9), without those of staff ({@link addStaffRoutes}). */
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
        lazy: page(async () => (await import('./features/my-appointments/MyAppointmentsPage.tsx')).MyAppointmentsPage),
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
        path: patterns.adminInvoice,
        middleware: guarded,
        lazy: page(async () => (await import('./features/licenses/InvoicePage.tsx')).InvoicePage),
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
        id: staffId,
        lazy: page(async () => (await import('./layout/StaffShell.tsx')).StaffShell),
        children: [
          {
            path: patterns.notFound,
            lazy: page(async () => (await import('./layout/NotFoundPage.tsx')).NotFoundPage),
          },
        ],
      },
      { path: patterns.offline, Component: OfflinePage },
      { path: '*', Component: Splash, loader: () => redirect(to.notFound()) },
    ],
  },
];

/** Adds the pages of staff with the first address that is none of the others: a patient's phone does not load their list. */
export const addStaffRoutes: PatchRoutesOnNavigationFunction = async ({ path, patch }) => {
  if (matchRoutes(routes, path)?.at(-1)?.route.path !== '*') return;
  const { staffRoutes } = await import('./staff-routes.tsx');
  patch(staffId, staffRoutes);
};
