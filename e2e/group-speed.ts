import fs from 'node:fs';
import { type BrowserContext, chromium, type Page } from '@playwright/test';
import { CALL_FLAGS, findChromium } from './support/chromium.ts';
import { demoPassword, startDemo } from './support/server.ts';
import { buildAppointmentInRoom, watchCalls } from './support/visit.ts';

/** How long frames and processor time are counted, s. */
const countedSeconds = 15;
/** What a call takes until bandwidth and resolution are settled, s. */
const settlingSeconds = 15;
/** Frames per second of the test camera. */
const cameraFrames = 15;

const staff = ['doctor', 'doctor2', 'staff'];
const flags = CALL_FLAGS.map((flag) => flag.replace(/fps=\d+/, `fps=${cameraFrames}`));

interface Counted {
  /** Decoded frames per second of one received video, on average of the twelve. */
  readonly frames: number;
  /** Cores that the browser's processes use. */
  readonly cores: number;
}

/**
 * Measures a visit of four in Chromium, each a page that sends to and receives from the three others, against four bare
 * participants with the same cameras and connections. `count` is the number of alternations.
 */
async function measure(count: number): Promise<Record<string, number>> {
  const demo = await startDemo();
  const [ours, bare]: [Counted[], Counted[]] = [[], []];
  try {
    for (let turn = 0; turn < count; turn += 1) {
      bare.push(await inBrowser((context) => openBare(context, demo.url)));
      ours.push(await inBrowser((context) => openRoom(context, demo, turn)));
      process.stderr.write(`${JSON.stringify({ bare: bare.at(-1), ours: ours.at(-1) })}\n`);
    }
  } finally {
    await demo.stop();
  }
  return {
    alternations: count,
    cameraFrames,
    frames: median(ours.map(({ frames }) => frames)),
    bareFrames: median(bare.map(({ frames }) => frames)),
    cores: median(ours.map(({ cores }) => cores)),
    bareCores: median(bare.map(({ cores }) => cores)),
  };
}

/** Counts a call that `open` makes, in a separate browser. */
async function inBrowser(open: (context: () => Promise<BrowserContext>) => Promise<Page[]>): Promise<Counted> {
  const server = await chromium.launchServer({ ...findChromium(), args: flags });
  const browser = await chromium.connect(server.wsEndpoint());
  try {
    const pages = await open(() =>
      browser.newContext({ serviceWorkers: 'block', viewport: { width: 640, height: 480 } }),
    );
    const received = async () => sum(await Promise.all(pages.map((page) => page.evaluate(decodedFrames))));
    await pages[0]?.waitForTimeout(settlingSeconds * 1000);
    const root = server.process().pid ?? 0;
    const [frames, seconds, from] = [await received(), processorSeconds(root), performance.now()];
    await pages[0]?.waitForTimeout(countedSeconds * 1000);
    const passed = (performance.now() - from) / 1000;
    return {
      frames: round((await received()) - frames, 12 * passed),
      cores: round(processorSeconds(root) - seconds, passed),
    };
  } finally {
    await browser.close();
    await server.close();
  }
}

/** Three of the clinic and the patient in one room. */
async function openRoom(
  newContext: () => Promise<BrowserContext>,
  demo: { url: string },
  turn: number,
): Promise<Page[]> {
  const visit = await buildAppointmentInRoom(demo, { patient: turn % 8 });
  const pages: Page[] = [];
  for (const name of [...staff, null]) {
    const context = await newContext();
    const page = await context.newPage();
    await watchCalls(page);
    if (name !== null) {
      const data = { isPatient: false, user: { email: `${name}@demo.test`, password: demoPassword } };
      await context.request.post(`${demo.url}/api/auth/login`, { data });
    }
    await page.goto(`${demo.url}/#/${name === null ? `link/${visit.accessCode}` : `appointment/${visit.uid}`}`);
    pages.push(page);
  }
  await Promise.all(pages.map((page) => page.waitForFunction(hasPeers, 3, { timeout: 60_000 })));
  return pages;
}

/** One page with four participants: twelve ends of connections, each with sound and video. */
async function openBare(newContext: () => Promise<BrowserContext>, url: string): Promise<Page[]> {
  const page = await (await newContext()).newPage();
  await watchCalls(page);
  await page.goto(`${url}/ping`);
  await page.evaluate(connectFour);
  await page.waitForFunction(hasPeers, 12, { timeout: 60_000 });
  return [page];
}

/** Runs in the page. Four cameras; the videos are shown side by side. */
async function connectFour(): Promise<void> {
  const wish = { video: { width: 640, height: 480 }, audio: true };
  const streams = await Promise.all([0, 1, 2, 3].map(() => navigator.mediaDevices.getUserMedia(wish)));
  const connect = async (one: MediaStream, other: MediaStream) => {
    const ends = [new RTCPeerConnection(), new RTCPeerConnection()] as const;
    const [caller, called] = ends;
    caller.onicecandidate = ({ candidate }) => void (candidate && called.addIceCandidate(candidate));
    called.onicecandidate = ({ candidate }) => void (candidate && caller.addIceCandidate(candidate));
    for (const end of ends)
      end.ontrack = ({ track, streams: [stream] }) => {
        if (track.kind !== 'video') return;
        const video = document.body.appendChild(document.createElement('video'));
        Object.assign(video, { srcObject: stream, muted: true, width: 200 });
        void video.play();
      };
    for (const [end, stream] of [[caller, one] as const, [called, other] as const])
      for (const track of stream.getTracks()) end.addTrack(track, stream);
    await caller.setLocalDescription();
    await called.setRemoteDescription(caller.localDescription as RTCSessionDescription);
    await called.setLocalDescription();
    await caller.setRemoteDescription(called.localDescription as RTCSessionDescription);
  };
  for (const [at, one] of streams.entries()) for (const other of streams.slice(at + 1)) await connect(one, other);
}

interface Watched {
  readonly madeConnections: RTCPeerConnection[];
}

/** Runs in the page. */
async function hasPeers(count: number): Promise<boolean> {
  const { madeConnections } = globalThis as unknown as Watched;
  let receiving = 0;
  for (const one of madeConnections) {
    if (one.connectionState !== 'connected') continue;
    for (const report of (await one.getStats()).values())
      if (report.type === 'inbound-rtp' && report.kind === 'video' && report.framesDecoded > 0) receiving += 1;
  }
  return receiving === count;
}

/** Runs in the page. */
async function decodedFrames(): Promise<number> {
  const { madeConnections } = globalThis as unknown as Watched;
  let frames = 0;
  for (const one of madeConnections) {
    if (one.connectionState !== 'connected') continue;
    for (const report of (await one.getStats()).values())
      if (report.type === 'inbound-rtp' && report.kind === 'video') frames += report.framesDecoded ?? 0;
  }
  return frames;
}

/** Processor time of a process and of those that it has started, s (proc(5): fields 14 and 15, in hundredths). */
function processorSeconds(root: number): number {
  const parents = new Map<number, { parent: number; ticks: number }>();
  for (const name of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const text = fs.readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      parents.set(Number(name), { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) });
    } catch {
      // It has ended.
    }
  }
  const isOfRoot = (id: number): boolean => id === root || (parents.has(id) && isOfRoot(parents.get(id)?.parent ?? 0));
  return sum([...parents].filter(([id]) => isOfRoot(id)).map(([, { ticks }]) => ticks)) / 100;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
const round = (value: number, by: number): number => Math.round((value / by) * 100) / 100;

/** The last line is a JSON object with the results. `npm run bench -- visit4` starts it. */
process.stdout.write(`${JSON.stringify(await measure(Number(process.argv[2] ?? 3)))}\n`);
process.exit(0);
