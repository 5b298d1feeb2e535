import { createHmac } from 'node:crypto';
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import { CALL_FLAGS, findChromium } from './support/chromium.ts';
import { secondsUntilSound } from './support/faults.ts';
import { startDemo } from './support/server.ts';
import { signIn } from './support/story.ts';
import { type Line, onlyThrough, openLine, startTurn, turnProgram } from './support/turn.ts';
import { buildAppointmentInRoom, expectVideo, watchCalls } from './support/visit.ts';

/** How long the link is down, s. */
const cutSeconds = 3;

/**
 * Measures calls in Chromium: from the provider's click to the first frame of the patient, who waits in the room, and from the
 * return of a link that was down for 3 s until there is sound; both compared with a bare RTCPeerConnection pair in the same browser.
 * `count` is the number of alternations.
 */
async function measure(count: number): Promise<Record<string, number>> {
  if (turnProgram === null) throw new Error('coturn is not installed.');
  const turn = await startTurn();
  const demo = await startDemo({ TURN_URLS: `turn:127.0.0.1:${turn.port}?transport=udp`, TURN_SECRET: turn.secret });
  const browser = await chromium.launch({ ...findChromium(), args: [...CALL_FLAGS] });
  const line = await openLine(turn.port);
  const frames = { ours: [] as number[], bare: [] as number[] };
  const returns = { ours: [] as number[], bare: [] as number[] };
  try {
    for (let turnNo = 0; turnNo < count; turnNo += 1) {
      frames.bare.push(await bareFirstFrame(browser, demo.url));
      frames.ours.push(await ourFirstFrame(browser, demo, turnNo));
      returns.bare.push(await bareReturn(browser, demo.url, turn, line));
      returns.ours.push(await ourReturn(browser, demo, line));
      process.stderr.write(`${JSON.stringify({ frames, returns })}\n`);
    }
  } finally {
    await browser.close();
    line.close();
    await demo.stop();
    await turn.stop();
  }
  const [ours, bare] = [median(frames.ours), median(frames.bare)];
  return {
    alternations: count,
    firstFrameMs: Math.round(ours),
    bareFirstFrameMs: Math.round(bare),
    firstFrameLaterMs: Math.round(ours - bare),
    returnSeconds: round(median(returns.ours)),
    bareReturnSeconds: round(median(returns.bare)),
  };
}

interface Demo {
  readonly url: string;
}

/** Two people in a room; the second one is in the waiting room until `enter`. */
async function invite(browser: Browser, demo: Demo, prepare: (page: Page) => Promise<void>, patientNo = 0) {
  const visit = await buildAppointmentInRoom(demo, { patient: patientNo });
  const contexts: BrowserContext[] = [];
  const open = async () => {
    const context = await browser.newContext({ baseURL: demo.url, serviceWorkers: 'block' });
    contexts.push(context);
    const page = await context.newPage();
    await prepare(page);
    await watchCalls(page);
    return page;
  };
  const [doctor, patient] = [await open(), await open()];
  await signIn(doctor, 'doctor@demo.test');
  await patient.goto(`/#/link/${visit.accessCode}`);
  await patient.getByLabel('Your video').waitFor();
  return {
    doctor,
    patient,
    visit,
    close: async () => {
      for (const context of contexts) await context.close();
    },
  };
}

async function ourFirstFrame(browser: Browser, demo: Demo, patientNo: number): Promise<number> {
  const { doctor, visit, close } = await invite(browser, demo, async () => {}, patientNo % 8);
  await doctor.getByRole('heading', { name: 'Waiting Room' }).waitFor();
  // A person reads the page before the click. Meanwhile it loads the room's code.
  await doctor.waitForTimeout(1_500);
  const ms = await doctor.evaluate(
    async ([hash, name]) => {
      const from = performance.now();
      location.hash = hash;
      for (;;) {
        const video = document.querySelector<HTMLVideoElement>(`video[aria-label="${name}"]`);
        if (video?.srcObject) {
          await new Promise((resolve) => video.requestVideoFrameCallback(resolve));
          return performance.now() - from;
        }
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    [`#/appointment/${visit.uid}`, visit.patientName] as const,
  );
  await close();
  return ms;
}

async function ourReturn(browser: Browser, demo: Demo, line: Line): Promise<number> {
  const { doctor, patient, visit, close } = await invite(browser, demo, (page) => onlyThrough(page, line.port));
  await doctor.goto(`/#/appointment/${visit.uid}`);
  await Promise.all([expectVideo(doctor), expectVideo(patient)]);
  const seconds = await cut(line, [doctor, patient]);
  await close();
  return seconds;
}

async function cut(line: Line, pages: readonly Page[]): Promise<number> {
  line.open = false;
  await pages[0]?.waitForTimeout(cutSeconds * 1000);
  line.open = true;
  return secondsUntilSound(pages);
}

/** A page of the same origin without the application. */
async function barePage(browser: Browser, url: string): Promise<Page> {
  const context = await browser.newContext({ baseURL: url, serviceWorkers: 'block' });
  const page = await context.newPage();
  await watchCalls(page);
  await page.goto('/ping');
  return page;
}

/** The camera, two connections in one page, and the first frame. */
async function bareFirstFrame(browser: Browser, url: string): Promise<number> {
  const page = await barePage(browser, url);
  const ms = await page.evaluate(connectBare, undefined);
  await page.context().close();
  return ms;
}

async function bareReturn(browser: Browser, url: string, turn: { secret: string }, line: Line): Promise<number> {
  const page = await barePage(browser, url);
  const username = `${Math.floor(Date.now() / 1000) + 3600}:bench`;
  const credential = createHmac('sha1', turn.secret).update(username).digest('base64');
  const urls = `turn:127.0.0.1:${line.port}?transport=udp`;
  await page.evaluate(connectBare, {
    iceServers: [{ urls, username, credential }],
    iceTransportPolicy: 'relay' as const,
  });
  const seconds = await cut(line, [page]);
  await page.context().close();
  return seconds;
}

/** Runs in the page. Returns the milliseconds until the first frame. */
async function connectBare(configuration: RTCConfiguration | undefined): Promise<number> {
  const from = performance.now();
  const stream = await navigator.mediaDevices.getUserMedia({ video: { width: 640, height: 480 }, audio: true });
  const [one, other] = [new RTCPeerConnection(configuration), new RTCPeerConnection(configuration)];
  one.onicecandidate = ({ candidate }) => void (candidate && other.addIceCandidate(candidate));
  other.onicecandidate = ({ candidate }) => void (candidate && one.addIceCandidate(candidate));
  const video = document.body.appendChild(document.createElement('video'));
  const framed = new Promise<void>((resolve) => {
    other.ontrack = ({ streams }) => {
      video.srcObject = streams[0] ?? null;
      void video.play();
      video.requestVideoFrameCallback(() => resolve());
    };
  });
  for (const track of stream.getTracks()) one.addTrack(track, stream);
  await one.setLocalDescription();
  await other.setRemoteDescription(one.localDescription as RTCSessionDescription);
  await other.setLocalDescription();
  await one.setRemoteDescription(other.localDescription as RTCSessionDescription);
  await framed;
  return performance.now() - from;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** The last line is a JSON object with the results. `npm run bench -- call` starts it. */
process.stdout.write(`${JSON.stringify(await measure(Number(process.argv[2] ?? 5)))}\n`);
process.exit(0);
