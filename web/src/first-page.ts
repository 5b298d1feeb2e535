import type { Call } from '@roomside/contract/call.ts';
import { getBookingPage, getBrand, login } from './api/auth-calls.ts';
import { callUrl } from './api/call-url.ts';
import { startRequest } from './api/request.ts';
import type { InputOf } from './api/send.ts';
import { accessCodeOf, patterns, to } from './paths.ts';
// For the static pages; each would be a separate request otherwise.
import './features/auth/login.css';
import './features/booking/booking.css';
import './features/my-appointments/my-appointments.css';
import './features/room/outside/waiting.css';

/** The static pages of index.html, by their data-first. */
type StaticPage = 'link' | 'opening' | 'login' | 'booking' | 'payment' | 'other';

interface FirstPage {
  staticPage: StaticPage;
  /** True when the patient's light first page shows it, false for the full application. */
  isLight?: boolean;
  /** Starts the page's first request; its code takes the response. */
  start?: () => void;
  /** Loads the page's code. */
  load?: () => Promise<unknown>;
}

const bookingPath = new RegExp(`^${patterns.patientBook.replace(':companyUid', '([0-9a-f]{32})')}$`);

/** The patient's side of a visit. */
const visitPath = new RegExp(`^${patterns.appointmentPatient.replace(':uid', '[^/]+')}$`);

const paymentPath = patterns.patientPayment.replace(':uid', '');

/** What can be shown, requested and loaded for a path before the application runs. */
export function firstPageOf(path: string): FirstPage {
  if (path === to.link()) return { staticPage: 'link', isLight: true };
  const email = accessCodeOf(path);
  if (email !== undefined) {
    return {
      staticPage: 'opening',
      isLight: true,
      start: () => startCall(login, { body: { isPatient: true, user: { email } } }),
      load: () => import('./features/room/RoomPage.tsx'),
    };
  }
  if (path === to.login()) {
    return {
      staticPage: 'login',
      start: () => startCall(getBrand, { query: { host: location.hostname } }),
      load: () => import('./features/auth/LoginPage.tsx'),
    };
  }
  if (visitPath.test(path)) {
    return { staticPage: 'opening', load: () => import('./features/room/RoomPage.tsx') };
  }
  if (path.startsWith(paymentPath)) {
    return { staticPage: 'payment', load: () => import('./features/payments/PatientPaymentPage.tsx') };
  }
  const companyUid = bookingPath.exec(path)?.[1];
  if (companyUid === undefined) return { staticPage: 'other' };
  return {
    staticPage: 'booking',
    start: () => startCall(getBookingPage, { params: { companyUid } }),
    load: () => import('./features/booking/BookingPage.tsx'),
  };
}

/** Shows the static page, unless an application has replaced it. */
export function showStaticPage({ staticPage }: FirstPage): void {
  document.documentElement.dataset['page'] = staticPage;
}

function startCall<C extends Call>(call: C, input: InputOf<C>): void {
  const { body } = input as { body?: unknown };
  startRequest({ method: call.method, url: callUrl(call, input), body });
}
