/**
 * `npm run lighthouse`: starts a demo, opens the first pages of patients and providers as a phone on a slow network
 * (Lighthouse's simulated throttling), three times each, and prints the medians. Exit code 1 below the goals.
 */
import { parseArgs } from 'node:util';
import lighthouse, { type Flags } from 'lighthouse';
import puppeteer from 'puppeteer-core';
import { apiAs, bookAppointment } from './support/api.ts';
import { findChromium } from './support/chromium.ts';
import { startDemoWithCards } from './support/processes.ts';
import { type Demo, demoPassword, startDemo } from './support/server.ts';
import { buildAppointmentInRoom } from './support/visit.ts';

const goals = { performance: 0.95, accessibility: 1, 'best-practices': 1, seo: 1 } as const;
type Category = keyof typeof goals;
const categories = Object.keys(goals) as Category[];

const { values } = parseArgs({ options: { runs: { type: 'string', default: '3' } } });
const runs = Number(values.runs);

interface Measured {
  scores: Record<Category, number>;
  /** Transferred bytes of all files and responses. */
  bytes: number;
  scriptBytes: number;
  /** Simulated; ms. */
  paint: number;
  /** Audits below the full score in the categories that must be full. */
  faults: string[];
}

const print = (line: string) => process.stdout.write(`${line}\n`);
const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

/** `cookie`: of a sign-in, as the server sets it. */
async function measure(url: string, cookie?: string): Promise<Measured> {
  const { executablePath, env } = findChromium();
  // A new browser each time: no cache, no sign-in.
  const browser = await puppeteer.launch({
    executablePath,
    env,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  try {
    const [name = '', value = ''] = (cookie ?? '').split(';')[0]?.split('=') ?? [];
    if (cookie) await browser.setCookie({ name, value, domain: new URL(url).hostname, path: '/', httpOnly: true });
    const flags: Flags = { port: Number(new URL(browser.wsEndpoint()).port), output: 'json', logLevel: 'error' };
    const result = await lighthouse(url, {
      ...flags,
      onlyCategories: categories,
      // Otherwise it removes the cookie.
      disableStorageReset: cookie !== undefined,
    });
    if (!result) throw new Error(`Lighthouse has no result for ${url}.`);
    const { lhr } = result;
    if (lhr.runtimeError) throw new Error(lhr.runtimeError.message);
    const requests = (lhr.audits['network-requests']?.details as { items?: Request[] } | undefined)?.items ?? [];
    const sum = (items: Request[]) => items.reduce((total, { transferSize }) => total + (transferSize ?? 0), 0);
    return {
      scores: Object.fromEntries(
        categories.map((name) => [name, lhr.categories[name]?.score ?? 0]),
      ) as Measured['scores'],
      bytes: sum(requests),
      scriptBytes: sum(requests.filter(({ resourceType }) => resourceType === 'Script')),
      paint: lhr.audits['largest-contentful-paint']?.numericValue ?? 0,
      faults: categories
        .filter((name) => goals[name] === 1)
        .flatMap((name) => lhr.categories[name]?.auditRefs ?? [])
        .filter(({ id, weight }) => weight > 0 && (lhr.audits[id]?.score ?? 1) < 1)
        .map(({ id }) => id),
    };
  } finally {
    await browser.close();
  }
}

interface Request {
  resourceType?: string;
  transferSize?: number;
}

/** The page where a patient pays, of a clinic that takes cards, after the link was opened. */
async function preparePayment(demo: Demo): Promise<{ url: string; cookie: string }> {
  const visit = await bookAppointment(await apiAs(demo, 'admin@demo.test'), {
    doctor: 'Reyes',
    patient: 'Tanaka',
    fee: '50.00',
  });
  const signIn = await fetch(`${demo.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ isPatient: true, user: { email: visit.accessCode } }),
  });
  const [cookie = ''] = signIn.headers.getSetCookie();
  return { url: `${demo.url}/pay#/patient-payment/${visit.appointmentUid}`, cookie };
}

const [demo, withCards] = [await startDemo(), await startDemoWithCards()];
try {
  const visit = await buildAppointmentInRoom(demo, { minutesAhead: 24 * 60 });
  const signIn = await fetch(`${demo.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ isPatient: false, user: { email: 'admin@demo.test', password: demoPassword } }),
  });
  const { accessToken } = (await signIn.json()) as { accessToken: string };
  const company = await fetch(`${demo.url}/api/companies/0`, { headers: { authorization: `Bearer ${accessToken}` } });
  const { companyUid } = (await company.json()) as { companyUid: string };
  const pages = {
    '/#/link': '/#/link',
    '/#/link/CODE': `/#/link/${visit.accessCode}`,
    '/#/login': '/#/login',
    booking: `/#/patient/book/${companyUid}`,
  };
  /** What each run opens: a sign-in is used once, since its cookie changes. */
  const opened: Record<string, () => Promise<{ url: string; cookie?: string }>> = {
    ...Object.fromEntries(Object.entries(pages).map(([name, path]) => [name, async () => ({ url: demo.url + path })])),
    payment: () => preparePayment(withCards),
  };
  print(['page', ...categories, 'KB', 'KB of scripts', 'largest paint, s'].join(' | '));
  for (const [name, prepare] of Object.entries(opened)) {
    const all: Measured[] = [];
    for (let run = 0; run < runs; run += 1) {
      const { url, cookie } = await prepare();
      all.push(await measure(url, cookie));
    }
    const scores = categories.map((category) => median(all.map((one) => one.scores[category])));
    const kb = (pick: (one: Measured) => number) => (median(all.map(pick)) / 1000).toFixed(0);
    const paint = (median(all.map((one) => one.paint)) / 1000).toFixed(1);
    const faults = [...new Set(all.flatMap(({ faults }) => faults))].join(' ');
    print(
      `${[name, ...scores, kb(({ bytes }) => bytes), kb(({ scriptBytes }) => scriptBytes), paint].join(' | ')} ${faults}`,
    );
    if (categories.some((category, index) => (scores[index] ?? 0) < goals[category])) process.exitCode = 1;
  }
} finally {
  await demo.stop();
  await withCards.stop();
}
