import { type APIResponse, expect, type Page, request as requests, type WebSocketRoute } from '@playwright/test';
import { demoPassword } from './server.ts';

/** A visit for a story, with its link. */
export interface MadeVisit {
  readonly appointmentId: number;
  readonly uid: string;
  readonly patientId: number;
  readonly patientName: string;
  readonly accessCode: string;
  /** Saves it with other values, as staff would. */
  change(values: { startDate?: string; cancelled?: boolean }): Promise<void>;
}

/** Creates an appointment of the demo's doctor with the server's calls, `minutesAhead` from now. */
export async function buildAppointmentInRoom(
  demo: { readonly url: string },
  options: { minutesAhead?: number; welcomeMessage?: string; patient?: number } = {},
): Promise<MadeVisit> {
  const { minutesAhead = 0, welcomeMessage = '', patient = 0 } = options;
  // Separate cookies, so that no page is signed in by this.
  const request = await requests.newContext({ baseURL: demo.url });
  const user = { email: 'doctor@demo.test', password: demoPassword };
  const { accessToken } = await answer<{ accessToken: string }>(
    request.post('/api/auth/login', { data: { isPatient: false, user } }),
  );
  const headers = { authorization: `Bearer ${accessToken}` };
  const read = <T>(path: string) => answer<T>(request.get(path, { headers }));
  const save = (data: object) => answer<Saved>(request.post('/api/appointments', { headers, data }));

  // Oldest first: other stories add patients, which must not move the demo's.
  const { data: patients } = await read<{ data: Person[] }>('/api/patients?top=20&skip=0&orderBy=created%20asc');
  const chosen = patients[patient];
  if (!chosen) throw new Error('The demo has no such patient.');
  const { doctorId } = await read<{ doctorId: number }>('/api/appointments/0');
  const body = {
    appointmentId: 0,
    version: 0,
    startDate: new Date(Date.now() + minutesAhead * 60_000).toISOString(),
    doctorId,
    patientId: chosen.patientId,
    accessCode: '*',
    cancelled: false,
    cancellationNotes: '',
    externalId: '',
    welcomeMessage,
    overbook: true,
  };
  const { appointmentId, appointmentUid: uid } = await save(body);
  const { accessCode } = await read<{ accessCode: string }>(`/api/appointments/${appointmentId}`);
  return {
    appointmentId,
    uid,
    patientId: chosen.patientId,
    patientName: `${chosen.firstName} ${chosen.lastName}`,
    accessCode,
    change: async (values) => {
      const { version } = await read<{ version: number }>(`/api/appointments/${appointmentId}`);
      const { accessCode: _, ...same } = body;
      await save({ ...same, appointmentId, version, ...values });
    },
  };
}

interface Saved {
  appointmentId: number;
  appointmentUid: string;
}

interface Person {
  patientId: number;
  firstName: string;
  lastName: string;
}

async function answer<T>(sent: Promise<APIResponse>): Promise<T> {
  const response = await sent;
  if (!response.ok()) throw new Error(`${response.url()} answered ${response.status()}: ${await response.text()}`);
  return (await response.json()) as T;
}

/** Keeps the page's RTCPeerConnections for `framesOf`. Call it before the page is opened. */
export const watchCalls = (page: Page): Promise<unknown> => page.addInitScript(keepConnections);

/** Runs in the page. */
export function keepConnections(): void {
  const made: RTCPeerConnection[] = [];
  // Without those of the check that a waiting patient's page makes, which have no sound or video.
  const withMedia = () => made.filter((one) => one.getTransceivers().length > 0);
  Object.defineProperty(globalThis, 'madeConnections', { get: withMedia });
  globalThis.RTCPeerConnection = class extends RTCPeerConnection {
    constructor(configuration?: RTCConfiguration) {
      super(configuration);
      made.push(this);
    }
  };
}

/** A page of any browser driver. */
interface Evaluates {
  evaluate(work: (figure: Figure) => Promise<number>, figure: Figure): Promise<number>;
}
type Figure = readonly [kind: string, name: string];

/** Video frames that the page's newest connection has decoded; 0 without one. */
export const framesOf = (page: Evaluates): Promise<number> => page.evaluate(inbound, ['video', 'framesDecoded']);
/** Bytes of sound that it has received. */
export const audioOf = (page: Evaluates): Promise<number> => page.evaluate(inbound, ['audio', 'bytesReceived']);

/** Runs in the page. */
async function inbound([of, figure]: Figure): Promise<number> {
  const { madeConnections } = globalThis as unknown as { madeConnections: RTCPeerConnection[] };
  const connection = madeConnections.findLast((one) => one.connectionState === 'connected');
  let sum = 0;
  for (const report of (await connection?.getStats())?.values() ?? []) {
    if (report.type === 'inbound-rtp' && report.kind === of) sum += report[figure] ?? 0;
  }
  return sum;
}

/** Waits until new video frames of the others arrive; the test cameras send five per second. */
export async function expectVideo(page: Evaluates): Promise<void> {
  let before = Number.POSITIVE_INFINITY;
  const newFrames = async () => {
    const frames = await framesOf(page);
    if (frames === 0) return 0;
    // Another connection counts from 0.
    before = Math.min(before, frames);
    return frames - before;
  };
  await expect.poll(newFrames, { timeout: 90_000, intervals: [100] }).toBeGreaterThan(2);
}

/** Sends a chat message, from a closed or an open panel. */
export async function say(page: Page, text: string): Promise<void> {
  const field = page.getByRole('textbox', { name: /message/i });
  if (!(await field.isVisible())) await page.getByRole('button', { name: /^Chat/ }).click();
  await field.fill(text);
  await field.press('Enter');
}

/** Expects a chat message. */
export async function reads(page: Page, text: string): Promise<void> {
  const field = page.getByRole('textbox', { name: /message/i });
  if (!(await field.isVisible())) await page.getByRole('button', { name: /^Chat/ }).click();
  await expect(page.getByText(text, { exact: true })).toBeVisible();
}

/** Cuts and restores a page's connection to the hub only. Call it before the page is opened. */
export async function holdHub(page: Page): Promise<{ cut(): Promise<void>; mend(): void }> {
  let away = false;
  const lines = new Set<WebSocketRoute>();
  await page.routeWebSocket(/\/messaging/, async (line) => {
    if (away) return line.close();
    lines.add(line);
    lines.add(line.connectToServer());
  });
  await page.route(/\/messaging\/negotiate/, (route) => (away ? route.abort() : route.continue()));
  return {
    cut: async () => {
      away = true;
      for (const line of lines) await line.close();
      lines.clear();
    },
    mend: () => {
      away = false;
    },
  };
}

/** For each connected peer of the page: decoded video frames and received bytes of sound. */
const mediaByPeer = (page: Page): Promise<{ frames: number; sound: number }[]> =>
  page.evaluate(async () => {
    const { madeConnections } = globalThis as unknown as { madeConnections: RTCPeerConnection[] };
    const connected = madeConnections.filter((one) => one.connectionState === 'connected');
    return Promise.all(
      connected.map(async (one) => {
        const reports = [...(await one.getStats()).values()].filter(({ type }) => type === 'inbound-rtp');
        const sum = (kind: string, figure: string) =>
          reports.filter((report) => report.kind === kind).reduce((all, report) => all + (report[figure] ?? 0), 0);
        return { frames: sum('video', 'framesDecoded'), sound: sum('audio', 'bytesReceived') };
      }),
    );
  });

/** Waits until new video and sound of `peers` other people arrive at the page. */
export async function expectMediaOf(page: Page, peers: number): Promise<void> {
  await expect.poll(async () => (await mediaByPeer(page)).length, { timeout: 90_000, intervals: [100] }).toBe(peers);
  const before = await mediaByPeer(page);
  const isFlowing = async () => {
    const now = await mediaByPeer(page);
    return (
      now.length === peers &&
      now.every(({ frames, sound }, at) => {
        const earlier = before[at] ?? { frames: 0, sound: 0 };
        return frames > earlier.frames && sound > earlier.sound;
      })
    );
  };
  await expect.poll(isFlowing, { timeout: 90_000, intervals: [100] }).toBe(true);
}
