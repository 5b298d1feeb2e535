import { type Browser, chromium } from '@playwright/test';
import { CALL_FLAGS, findChromium } from './support/chromium.ts';
import { expectChat, lasts, record, secondsUntilSound, withLongFaults } from './support/faults.ts';
import { meet } from './support/meeting.ts';
import { canMakeNetworks, type Device, type Link, openNetwork, type TestNetwork } from './support/network.ts';
import { test as base, expect } from './support/story.ts';
import { expectVideo, reads, say } from './support/visit.ts';

/**
 * What happens to a call when a device loses its network, media and hub together, or changes to another one. Each side is a browser in a network of
 * its own. The tests are cells of the table that `npm run test:faults` prints.
 */
interface Side {
  readonly device: Device;
  readonly browser: Browser;
}

const test = base.extend<{ network: TestNetwork; patientSide: Side; doctorSide: Side }>({
  network: async ({ demo }, use) => {
    const network = openNetwork();
    await network.forward(Number(new URL(demo.url).port));
    await use(network);
    network.close();
  },
  patientSide: async ({ network }, use) => {
    const side = await openSide(network, 'patient');
    await use(side);
    await side.browser.close();
  },
  doctorSide: async ({ network }, use) => {
    const side = await openSide(network, 'doctor');
    await use(side);
    await side.browser.close();
  },
});

async function openSide(network: TestNetwork, name: string): Promise<Side> {
  const device = network.addDevice(name, ['wifi']);
  const { executablePath, env } = findChromium();
  const browser = await chromium.launch({
    executablePath: device.wrap(executablePath),
    env,
    // A page of localhost may use the camera.
    args: [
      ...CALL_FLAGS.filter((flag) => !flag.includes('loopback')),
      `--host-resolver-rules=MAP localhost ${network.host}`,
    ],
  });
  return { device, browser };
}

test.skip(!canMakeNetworks, 'needs root and iproute2 for networks');
test.skip(!withLongFaults, 'runs in npm run test:faults');

interface Fault {
  name: string;
  /** Seconds from the new network until sound. */
  goal: number;
  /** On each side: the doctor's, the patient's. */
  notices: RegExp;
  lose: Link;
  seconds: number;
  find: Link;
}

const faults: Fault[] = [
  { name: 'patient without any network for 3 s', goal: 1, notices: /^0,0$/, lose: 'wifi', seconds: 3, find: 'wifi' },
  { name: 'patient without any network for 10 s', goal: 3, notices: /^1,1$/, lose: 'wifi', seconds: 10, find: 'wifi' },
  { name: 'patient without any network for 40 s', goal: 3, notices: /^1,1$/, lose: 'wifi', seconds: 40, find: 'wifi' },
  {
    name: 'patient from Wi-Fi to a mobile network',
    goal: 3,
    notices: /^0,0$/,
    lose: 'wifi',
    seconds: 0,
    find: 'mobile',
  },
  {
    name: 'patient from Wi-Fi to a mobile network, 5 s between them',
    goal: 3,
    // Repaired at about the time when a notice would be shown.
    notices: /^[01],[01]$/,
    lose: 'wifi',
    seconds: 5,
    find: 'mobile',
  },
];

for (const { name, goal, notices, lose, seconds, find } of faults) {
  test(`${name}: sound is back within ${goal} s`, async ({ demo, someone, allow, doctorSide, patientSide }) => {
    allow(/ERR_|WebSocket|Failed to (load|complete|start)|messaging/);
    const sides = [doctorSide, patientSide];
    const meeting = await meet({
      demo,
      // The doctor is opened first.
      someone: async (options) => {
        const one = await someone({ ...options, browser: sides.shift()?.browser });
        // Only who has allowed the camera shows the addresses of all links to the other side.
        await one.context.grantPermissions(['camera', 'microphone']);
        return one;
      },
    });
    const { doctor, patient } = meeting;
    const { device } = patientSide;
    // The other network is there before.
    if (seconds === 0) {
      device.mend(find);
      await lasts(doctor, 5);
    }
    device.cut(lose);
    await say(patient, 'During.');
    if (seconds > 0) {
      await lasts(doctor, seconds);
      device.mend(find);
    }
    const back = await secondsUntilSound([doctor, patient]);
    const shown = String(await meeting.notices());
    record(name, { 'sound back, s': back, notices: shown });
    expect(shown).toMatch(notices);
    expect(back).toBeLessThanOrEqual(goal);
    await Promise.all([expectVideo(doctor), expectVideo(patient)]);
    await reads(doctor, 'During.');
    await expectChat([doctor, patient], ['During.']);
    await meeting.expectNothingLost();
  });
}
