import { chromium, type Page } from '@playwright/test';
import { CALL_FLAGS, findChromium } from './support/chromium.ts';
import {
  expectChat,
  lasts,
  nextSound,
  record,
  secondsUntilSound,
  soundSamples,
  withLongFaults,
} from './support/faults.ts';
import { limitDuring } from './support/machine.ts';
import { type MeetingOptions, meet } from './support/meeting.ts';
import { type DemoServer, startDemo } from './support/server.ts';
import { test as base, expect } from './support/story.ts';
import { type Line, onlyThrough, openLine, startTurn, type TurnServer, turnProgram } from './support/turn.ts';
import { expectMediaOf, expectVideo, holdHub, reads, say } from './support/visit.ts';

/**
 * What happens to a call when networks, servers, pages and devices fail. Each test is a cell of the table that `npm run test:faults` prints;
 * the long ones run only there.
 */
interface Relay {
  readonly demo: DemoServer;
  readonly turn: TurnServer;
}

const test = base.extend<object, { relay: Relay }>({
  /** A server whose calls use a TURN server of the tests. */
  relay: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the pattern.
    async ({}, use) => {
      const turn = await startTurn();
      const demo = await startDemo({
        TURN_URLS: `turn:127.0.0.1:${turn.port}?transport=udp`,
        TURN_SECRET: turn.secret,
      });
      await use({ demo, turn });
      await demo.stop();
      await turn.stop();
    },
    { scope: 'worker', timeout: 240_000 },
  ],
});

/** The result of `work` with a limit of its real time, ms. `npm run test:faults` has the machine to itself. */
const withLimit = async <T>(page: Page, ms: number, work: Promise<T>): Promise<{ result: T; limit: number }> =>
  withLongFaults ? { result: await work, limit: ms } : limitDuring(page, ms, work);

/**
 * The longest time without new sound at the page within `ms`, ms. It counts while the page looks: a pause of the machine, in which
 * neither sound nor looks are possible, counts as a tenth of a second.
 */
const longestSilence = (page: Page, ms: number): Promise<number> =>
  page.evaluate(async (length) => {
    const { madeConnections } = globalThis as unknown as { madeConnections: RTCPeerConnection[] };
    const read = async () => {
      const connection = madeConnections.findLast((one) => one.connectionState === 'connected');
      let bytes = 0;
      for (const report of (await connection?.getStats())?.values() ?? [])
        if (report.type === 'inbound-rtp' && report.kind === 'audio') bytes += report.bytesReceived ?? 0;
      return bytes;
    };
    let heard = await read();
    let at = performance.now();
    const until = at + length;
    let silence = 0;
    let longest = 0;
    while (at < until) {
      await new Promise((resolve) => setTimeout(resolve, 25));
      const bytes = await read();
      const now = performance.now();
      silence += Math.min(now - at, 100);
      longest = Math.max(longest, silence);
      at = now;
      // Several packets of sound, not a late one. Another connection counts from 0.
      if (bytes - heard > 400) silence = 0;
      if (silence === 0 || bytes < heard) heard = bytes;
    }
    return longest;
  }, ms);

/** A visit whose packets pass two lines of the test, one for each side. */
async function meetByRelay({ relay, someone }: { relay: Relay; someone: MeetingOptions['someone'] }) {
  const [mine, theirs] = [await openLine(relay.turn.port), await openLine(relay.turn.port)];
  const meeting = await meet({
    demo: relay.demo,
    someone,
    prepare: async (doctor, patient) => {
      await onlyThrough(doctor, mine.port);
      await onlyThrough(patient, theirs.port);
    },
  });
  return { ...meeting, lines: { doctor: mine, patient: theirs } };
}

test.describe('link of the media', () => {
  test.skip(turnProgram === null, 'coturn is not installed');

  test('relay only: the call works, and says so in its figures', async ({ relay, someone }) => {
    const { doctor, lines } = await meetByRelay({ relay, someone });
    const kinds = () =>
      doctor.evaluate(async () => {
        const { madeConnections } = globalThis as unknown as { madeConnections: RTCPeerConnection[] };
        const stats = [...((await madeConnections.at(-1)?.getStats())?.values() ?? [])];
        const pair = stats.find(
          ({ type, nominated, state }) => type === 'candidate-pair' && nominated && state === 'succeeded',
        );
        return stats
          .filter(({ id }) => id === pair?.localCandidateId || id === pair?.remoteCandidateId)
          .map((one) => one.candidateType);
      });
    // A connection that is being checked again has no pair for a moment.
    await expect.poll(kinds).toEqual(['relay', 'relay']);
    // The first figures are measured after four seconds. On a busy machine sound and video stutter, so that the connection is rated worse.
    await expect(doctor.getByRole('button', { name: /^(Good|Fair|Poor) connection with/ })).toBeVisible();
    close(lines);
  });

  const cuts: { seconds: number; both?: true; goal: number; notices: number[] }[] = [
    { seconds: 3, goal: 1, notices: [0, 0] },
    { seconds: 10, goal: 3, notices: [1, 1] },
    { seconds: 10, both: true, goal: 3, notices: [1, 1] },
    { seconds: 40, goal: 3, notices: [1, 1] },
  ];
  for (const { seconds, both, goal, notices } of cuts) {
    const name = `link of ${both ? 'both sides' : 'the patient'} down for ${seconds} s`;
    test(`${name}: sound is back within ${goal} s, with ${notices[0]} notices`, async ({ relay, someone }) => {
      test.skip(seconds > 3 && !withLongFaults, 'runs in npm run test:faults');
      const meeting = await meetByRelay({ relay, someone });
      const { doctor, patient, lines } = meeting;
      const cut = both ? [lines.doctor, lines.patient] : [lines.patient];
      const from = Date.now();
      for (const line of cut) line.open = false;
      // The message does not make the cut longer, however long it takes to write it.
      const said = say(patient, 'During.');
      await lasts(doctor, seconds);
      for (const line of cut) line.open = true;
      const sound = secondsUntilSound([doctor, patient]);
      const { result: back, limit } = await withLimit(doctor, goal * 1000, sound);
      const isLong = Date.now() - from > 5_000;
      await said;
      record(name, { 'sound back, s': back, notices: String(await meeting.notices()) });
      await Promise.all([expectVideo(doctor), expectVideo(patient)]);
      const seen = await meeting.notices();
      // This process is the line. A pause of the machine may make a short cut so long that it is noticed.
      if (seconds < 5 && isLong) expect(Math.max(...seen)).toBeLessThanOrEqual(1);
      else expect(seen).toEqual(notices);
      await expectChat([doctor, patient], ['During.']);
      await meeting.expectNothingLost();
      expect(back * 1000).toBeLessThanOrEqual(limit);
      close(lines);
    });
  }

  for (const { loss, rate, red } of [
    { loss: 0.05, rate: 300_000, red: true },
    { loss: 0.2, rate: Number.POSITIVE_INFINITY, red: true },
    { loss: 0.2, rate: Number.POSITIVE_INFINITY, red: false },
  ]) {
    const limit = Number.isFinite(rate) ? ` at ${rate / 1000} kbit/s` : '';
    const name = `${loss * 100} % loss${limit}, ${red ? 'with' : 'without'} RED`;
    test(`${name}: the call goes on, and its quality is shown`, async ({ relay, someone }) => {
      test.skip(!withLongFaults, 'runs in npm run test:faults');
      const [mine, theirs] = [await openLine(relay.turn.port), await openLine(relay.turn.port)];
      const meeting = await meet({
        demo: relay.demo,
        someone,
        prepare: async (doctor, patient) => {
          await onlyThrough(doctor, mine.port);
          await onlyThrough(patient, theirs.port);
          if (!red) for (const page of [doctor, patient]) await withoutRed(page);
        },
      });
      const { doctor, patient } = meeting;
      Object.assign(theirs, { loss, rate });
      // Until the video has been made smaller.
      await lasts(doctor, 20);
      const before = await soundSamples(doctor);
      await lasts(doctor, 20);
      const now = await soundSamples(doctor);
      const concealed = (now.concealed - before.concealed) / (now.all - before.all);
      expect(now.codec).toBe(red ? 'red' : 'opus');
      // Sound goes on: 48,000 samples a second, most of them not made up.
      expect((now.all - before.all) / 48_000).toBeGreaterThan(15);
      expect(concealed).toBeLessThan(loss);
      const scales = await Promise.all([doctor, patient].map(videoScale));
      // The product sends smaller video, so that sound has room.
      if (Number.isFinite(rate)) expect(Math.max(...scales)).toBeGreaterThan(1);
      record(name, {
        codec: now.codec,
        'concealed, %': (concealed * 100).toFixed(1),
        'video smaller by': scales.join(', '),
        notices: String(await meeting.notices()),
      });
      for (const page of [doctor, patient])
        await expect(page.getByRole('button', { name: /^(Fair|Poor) connection with/ })).toBeVisible();
      await meeting.expectNothingLost();
      close({ mine, theirs });
    });
  }
});

for (const seconds of [5, 40]) {
  test(`hub away for ${seconds} s: sound never stops, and chat arrives afterwards`, async ({
    demo,
    someone,
    allow,
  }) => {
    test.skip(seconds > 5 && !withLongFaults, 'runs in npm run test:faults');
    allow(/ERR_FAILED.*messaging|WebSocket/);
    let hub: Awaited<ReturnType<typeof holdHub>> | undefined;
    const meeting = await meet({
      demo,
      someone,
      prepare: async (_, patient) => {
        hub = await holdHub(patient);
      },
    });
    const { doctor, patient } = meeting;
    await hub?.cut();
    await say(patient, 'During.');
    const { result: longest, limit } = await withLimit(doctor, 1_500, longestSilence(doctor, seconds * 1000));
    hub?.mend();
    await reads(doctor, 'During.');
    await meeting.expectNothingLost();
    record(`hub of the patient away for ${seconds} s`, {
      'longest pause of sound, s': longest / 1000,
      notices: String(await meeting.notices()),
    });
    expect(await meeting.notices()).toEqual([0, 0]);
    expect(longest).toBeLessThan(limit);
  });
}

/** By how much the page makes the video smaller that it sends. */
const videoScale = (page: Page) =>
  page.evaluate(() => {
    const { madeConnections } = globalThis as unknown as { madeConnections: RTCPeerConnection[] };
    const sender = madeConnections
      .at(-1)
      ?.getSenders()
      .find(({ track }) => track?.kind === 'video');
    return sender?.getParameters().encodings[0]?.scaleResolutionDownBy ?? 1;
  });

test('both sides restart the connection at the same moment: sound and picture go on in both directions', async ({
  demo,
  someone,
  allow,
}) => {
  allow(/ERR_FAILED.*messaging|WebSocket/);
  let hub: Awaited<ReturnType<typeof holdHub>> | undefined;
  const { doctor, patient, expectNothingLost } = await meet({
    demo,
    someone,
    prepare: async (_, page) => {
      hub = await holdHub(page);
    },
  });
  // The offers cross, because neither arrives before the hub is back.
  await hub?.cut();
  const before = await Promise.all([doctor, patient].map(restart));
  hub?.mend();
  await expect
    .poll(
      async () => (await Promise.all([doctor, patient].map(remoteCredentials))).map((now, i) => now !== before[i]),
      {
        timeout: 20_000,
      },
    )
    .toEqual([true, true]);
  await Promise.all([expectMediaOf(doctor, 1), expectMediaOf(patient, 1)]);
  // Without building it again.
  for (const page of [doctor, patient]) expect(await countConnections(page)).toBe(1);
  await expectNothingLost();
});

for (const side of ['patient', 'doctor'] as const) {
  test(`reload of the ${side}: the same visit, sound on both sides again, and what was off stays off`, async ({
    demo,
    someone,
  }) => {
    const meeting = await meet({ demo, someone });
    const { doctor, patient } = meeting;
    const [page, other] = side === 'patient' ? [patient, doctor] : [doctor, patient];
    const from = Date.now();
    const heard = nextSoundOfNewConnection(other);
    await page.reload();
    await expect(page.getByLabel('Your video')).toBeVisible();
    await Promise.all([heard, nextSound(page)]);
    const back = (Date.now() - from) / 1000;
    record(`reload of the ${side}`, { 'sound back, s': back, notices: String(await meeting.notices()) });
    // A link that is silent for more than five seconds is lost: a busy machine may take longer to load the page.
    for (const count of await meeting.notices()) expect(count).toBeLessThanOrEqual(back < 5 ? 0 : 1);
    for (const name of ['Turn camera off', 'Mute']) await page.getByRole('button', { name, exact: true }).click();
    const isOff = async () => {
      for (const name of ['camera off', 'muted']) await expect(other.getByRole('img', { name })).toBeVisible();
    };
    await isOff();
    const connected = nextSoundOfNewConnection(other);
    await page.reload();
    await connected;
    for (const name of ['Turn camera off', 'Mute'])
      await expect(page.getByRole('button', { name, exact: true, pressed: true })).toBeVisible();
    await isOff();
    await meeting.expectNothingLost();
  });
}

test('server killed and restarted: sound never stops, and chat goes on', async ({ someone, allow, startOwnDemo }) => {
  test.skip(!withLongFaults, 'runs in npm run test:faults');
  allow(/ERR_|WebSocket|Failed to (load|complete|start)|messaging/);
  const demo = await startOwnDemo();
  const meeting = await meet({ demo, someone });
  const { doctor, patient } = meeting;
  await demo.kill();
  await say(patient, 'During.');
  let longest = 0;
  let last = Date.now();
  const back = demo.start();
  let isBack = false;
  void back.then(() => (isBack = true));
  while (!isBack || Date.now() - last < 0) {
    const at = await nextSound(doctor, 5_000);
    longest = Math.max(longest, at - last);
    last = at;
  }
  await reads(doctor, 'During.');
  await meeting.expectNothingLost();
  record('server killed and restarted', {
    'longest pause of sound, s': longest / 1000,
    notices: String(await meeting.notices()),
  });
  expect(await meeting.notices()).toEqual([0, 0]);
  expect(longest).toBeLessThan(1_500);
});

test('camera unplugged, then a hidden page without video: sound goes on, and no one is taken for frozen', async ({
  demo,
  someone,
}) => {
  test.skip(!withLongFaults, 'runs in npm run test:faults');
  const meeting = await meet({ demo, someone });
  const { doctor, patient } = meeting;
  const frozen = doctor.getByText('Frozen peer detected');
  const from = Date.now();
  await patient.evaluate(() => {
    const { madeConnections } = globalThis as unknown as { madeConnections: RTCPeerConnection[] };
    const camera = madeConnections
      .at(-1)
      ?.getSenders()
      .find(({ track }) => track?.kind === 'video')?.track;
    camera?.stop();
    camera?.dispatchEvent(new Event('ended'));
  });
  await expect(doctor.getByRole('img', { name: 'camera off' })).toBeVisible();
  const shown = (Date.now() - from) / 1000;
  await nextSound(doctor);
  await patient.getByRole('button', { name: 'Turn on camera' }).click();
  await expectVideo(doctor);
  // As a phone does with a page in the background.
  await patient.evaluate(() => {
    const { madeConnections } = globalThis as unknown as { madeConnections: RTCPeerConnection[] };
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' });
    document.dispatchEvent(new Event('visibilitychange'));
    for (const sender of madeConnections.at(-1)?.getSenders() ?? []) void sender.replaceTrack(null);
  });
  // Six checks of the frozen peer.
  await lasts(doctor, 60);
  await expect(frozen).toHaveCount(0);
  record('camera unplugged', { 'shown on the other side, s': shown, notices: String(await meeting.notices()) });
  record('page hidden for 60 s without media', { notices: String(await meeting.notices()) });
  expect(await meeting.notices()).toEqual([0, 0]);
  await meeting.expectNothingLost();
});

for (const { name, stop } of [
  { name: 'laptop of the patient asleep for 40 s', stop: sleepBrowser },
  { name: 'page of the patient frozen by its browser for 40 s', stop: freezePage },
]) {
  test(`${name}: sound is back within 3 s, with 1 notice for each side at most`, async ({ demo, someone, allow }) => {
    test.skip(!withLongFaults, 'runs in npm run test:faults');
    allow(/ERR_|WebSocket|Failed to (load|complete|start)|messaging/);
    const { executablePath, env } = findChromium();
    // One browser for the patient alone, by its process.
    const server = await chromium.launchServer({ executablePath, env, args: [...CALL_FLAGS] });
    try {
      const browser = await chromium.connect(server.wsEndpoint());
      const meeting = await meet({
        demo,
        // The doctor is opened first.
        someone: (options) => someone(options.viewport ? { ...options, browser } : options),
      });
      const { doctor, patient } = meeting;
      const wake = await stop(patient, server.process().pid ?? 0);
      await lasts(doctor, 40);
      await wake();
      const back = await secondsUntilSound([doctor, patient]);
      record(name, { 'sound back, s': back, notices: String(await meeting.notices()) });
      await Promise.all([expectVideo(doctor), expectVideo(patient)]);
      for (const count of await meeting.notices()) expect(count).toBeLessThanOrEqual(1);
      await meeting.expectNothingLost();
      expect(back).toBeLessThanOrEqual(3);
      await browser.close();
    } finally {
      await server.close();
    }
  });
}

/** Stops all processes of a browser, as the sleep of a laptop does. Returns what wakes them. */
async function sleepBrowser(_page: Page, pid: number): Promise<() => Promise<void>> {
  process.kill(-pid, 'SIGSTOP');
  return async () => void process.kill(-pid, 'SIGCONT');
}

/** Hides the page and stops its scripts, as browsers do to save energy. Returns what brings it back. */
async function freezePage(page: Page): Promise<() => Promise<void>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Page.setWebLifecycleState', { state: 'frozen' });
  return async () => void (await session.send('Page.setWebLifecycleState', { state: 'active' }));
}

/** The codec is not in this browser. */
function withoutRed(page: Page): Promise<unknown> {
  return page.addInitScript(() => {
    const native = RTCRtpReceiver.getCapabilities.bind(RTCRtpReceiver);
    RTCRtpReceiver.getCapabilities = (kind) => {
      const all = native(kind);
      return all && { ...all, codecs: all.codecs.filter(({ mimeType }) => mimeType !== 'audio/red') };
    };
  });
}

/** Waits for sound on another connection than the present one. */
async function nextSoundOfNewConnection(page: Page): Promise<number> {
  await page.evaluate(async () => {
    const newest = () => (globalThis as unknown as { madeConnections: RTCPeerConnection[] }).madeConnections.at(-1);
    const present = newest();
    while (newest() === present || newest()?.connectionState !== 'connected')
      await new Promise((resolve) => setTimeout(resolve, 25));
  });
  return nextSound(page);
}

function close(lines: Record<string, Line>): void {
  for (const line of Object.values(lines)) line.close();
}

/** Offers new candidates, and waits until the offer was made. Returns the other side's ICE credentials before it. */
async function restart(page: Page): Promise<string | undefined> {
  const before = await remoteCredentials(page);
  await page.evaluate(async () => {
    const { madeConnections } = globalThis as unknown as { madeConnections: RTCPeerConnection[] };
    const connection = madeConnections.at(-1);
    connection?.restartIce();
    while (connection?.signalingState !== 'have-local-offer') await new Promise((done) => setTimeout(done, 10));
  });
  return before;
}

/** The user name in the description that both sides have agreed on. */
const remoteCredentials = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => {
    const { madeConnections } = globalThis as unknown as { madeConnections: RTCPeerConnection[] };
    return /a=ice-ufrag:(\S+)/.exec(madeConnections.at(-1)?.currentRemoteDescription?.sdp ?? '')?.[1];
  });

const countConnections = (page: Page): Promise<number> =>
  page.evaluate(() => (globalThis as unknown as { madeConnections: RTCPeerConnection[] }).madeConnections.length);
