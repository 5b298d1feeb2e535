import type { Page } from '@playwright/test';
import { apiAs, bookAppointment, dayAhead } from './support/api.ts';
import { createClinic } from './support/company.ts';
import { demoPassword } from './support/server.ts';
import { desktop, expect, phone, type Someone, signIn, test } from './support/story.ts';

/** A control that moved while the user did nothing. */
interface Move {
  control: string;
  from: string;
  to: string;
}

interface Watch {
  /** How many controls the page shows. */
  count: number;
  moves: Move[];
}

/**
 * In each document: compares the places of all controls with those of the frame before. The heads of a table move with the widths of its
 * columns.
 */
function watchControls(): void {
  // Half of the smallest target: less moves no control away from the pointer.
  const leastPx = 12;
  const controls = 'a[href], button:enabled, input:enabled, textarea, summary, [role="combobox"], [role="tab"]';
  const watch: Watch = { count: 0, moves: [] };
  Object.assign(globalThis, { watch });
  let places = new Map<Element, readonly [number, number]>();
  const look = () => {
    const seen: typeof places = new Map();
    for (const element of document.querySelectorAll(controls)) {
      const { x, y, width } = element.getBoundingClientRect();
      if (width === 0 || !element.checkVisibility() || element.closest('th, [aria-hidden="true"]')) continue;
      const place = [x + scrollX, y + scrollY] as const;
      const before = places.get(element) ?? place;
      if (Math.hypot(place[0] - before[0], place[1] - before[1]) >= leastPx) {
        const control = element.getAttribute('aria-label') ?? (element.textContent || element.tagName);
        watch.moves.push({ control, from: before.map(Math.round).join(), to: place.map(Math.round).join() });
      }
      seen.set(element, place);
    }
    places = seen;
    watch.count = seen.size;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** What moved since the last call, after two frames more. */
const watchOf = (page: Page) =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
    const { watch } = globalThis as unknown as { watch: Watch };
    return { ...watch, moves: watch.moves.splice(0) };
  });

/** Answers the reads of a page one after the other: in their order, or from the last one to the first. */
async function answerSlowly(page: Page, isReverse: boolean) {
  let [asked, open, changedAt] = [0, 0, Date.now()];
  await page.route('**/api/**', async (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    const delay = isReverse ? Math.max(0, 1_500 - 300 * asked) : 300 * asked;
    asked += 1;
    open += 1;
    await new Promise((resolve) => setTimeout(resolve, delay));
    await route.continue().catch(() => undefined);
    open -= 1;
    changedAt = Date.now();
  });
  return {
    begin: () => void (asked = 0),
    isQuiet: () => asked > 0 && open === 0 && Date.now() - changedAt > 500,
  };
}

/** Opens pages with slow answers, the first one with a slow font too, and returns what moved on each. */
async function movesOn(
  { page, context }: Someone,
  email: string,
  isReverse: boolean,
  pages: Readonly<Record<string, string | RegExp>>,
): Promise<Record<string, Move[]>> {
  await context.addInitScript(watchControls);
  const font = Promise.withResolvers<void>();
  await page.route('**/*.woff2', async (route) => {
    await font.promise;
    await route.continue();
  });
  await signIn(page, email);
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  font.resolve();
  await page.evaluate(async () => {
    await document.fonts.ready;
    if (!document.fonts.check('600 14px "Inter Variable"')) throw new Error('The font is not loaded.');
  });
  const moved: Record<string, Move[]> = {};
  const noteMoves = async (address: string) => {
    const { count, moves } = await watchOf(page);
    expect(count).toBeGreaterThan(3);
    if (moves.length > 0) moved[address] = moves;
  };
  await noteMoves('/waiting-room');
  const reads = await answerSlowly(page, isReverse);
  for (const [address, name] of Object.entries(pages)) {
    reads.begin();
    await page.goto(`/#${address}`);
    await expect.poll(reads.isQuiet).toBe(true);
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
    await noteMoves(address);
    // Each page begins after this one, which reads nothing.
    await page.goto('/#/not-found');
    await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  }
  return moved;
}

for (const [order, viewport] of [
  ['in their order', desktop],
  ['from the last to the first', phone],
] as const)
  test(`reads answered ${order}, ${viewport.width} px: no button, link or field moves`, async ({ someone, demo }) => {
    const api = await apiAs(demo, 'admin@demo.test');
    const { appointmentId, patientId, doctorId } = await bookAppointment(api, {
      doctor: 'Okafor',
      patient: 'Andersen',
      date: dayAhead(151),
      time: '1130',
    });
    const pages = {
      '/admin/home': 'Administration',
      '/admin/ledger': 'Payments',
      '/admin/company/edit': 'Demo Clinic',
      '/admin/user': 'Users',
      [`/admin/user/edit/${doctorId}`]: 'User Editor',
      '/admin/data': 'Clinic data',
      '/admin/payment': 'Licensing',
      '/admin/csv-import': 'Import Patients from CSV',
      '/admin/scheduling': 'Scheduling Rules',
      '/admin/scheduling/time-off': 'Closures and leave',
      '/admin/audit': 'Audit log',
      '/user': 'My Account',
      '/appointment-list': 'Appointments',
      '/patient-list': 'Patients',
      [`/patient-edit/${patientId}`]: 'Diego Andersen',
      [`/patient-edit/${patientId}/appointments`]: 'Diego Andersen',
      [`/photo-list/${patientId}`]: 'Photos of Diego Andersen',
      '/schedule/daily': /\d/,
      '/schedule/monthly': /\d/,
      [`/appointment-edit/${patientId}/0`]: 'New Appointment',
      [`/appointment-edit/${patientId}/${appointmentId}`]: 'Diego Andersen',
    };
    const admin = await someone({ viewport });
    expect(await movesOn(admin, 'admin@demo.test', viewport === phone, pages)).toEqual({});
  });

test('reads answered from the last to the first, after an export of all data: the fields below it do not move', async ({
  someone,
  demo,
}) => {
  const [email = ''] = (await createClinic(demo, ['A'])).emails;
  const api = await apiAs(demo, email);
  await api('POST', '/api/account/confirm', { currentPassword: demoPassword });
  await api('POST', '/api/data-export');
  // Its end would move them, too.
  const stateOf = async () => (await api<{ export: { state: string } }>('GET', '/api/data-export')).export.state;
  await expect.poll(stateOf).toBe('ready');
  const admin = await someone({ viewport: phone });
  expect(await movesOn(admin, email, true, { '/admin/data': 'Clinic data' })).toEqual({});
});
