import type { Page } from '@playwright/test';
import { expect, expectToast, keepNotice, phone, signIn, test } from './support/story.ts';
import { buildAppointmentInRoom, expectVideo, watchCalls } from './support/visit.ts';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

/** Runs in the page before it loads: a browser without a recorder, whose screen and cameras fail when `broken` names them. */
function breakDevices(): void {
  Reflect.deleteProperty(globalThis, 'MediaRecorder');
  // Phones and tablets can switch between two cameras.
  Object.defineProperty(navigator, 'maxTouchPoints', { get: () => 1 });
  const scope = globalThis as unknown as { broken: string };
  scope.broken = '';
  const { getUserMedia, getDisplayMedia } = MediaDevices.prototype;
  const failed = () => Promise.reject(new DOMException('', 'NotReadableError'));
  // The other camera is in use by another application.
  const isOther = (wish?: MediaStreamConstraints) => JSON.stringify(wish).includes('"exact"');
  navigator.mediaDevices.getUserMedia = (wish) =>
    scope.broken === 'camera' && isOther(wish) ? failed() : getUserMedia.call(navigator.mediaDevices, wish);
  navigator.mediaDevices.getDisplayMedia = (wish) =>
    scope.broken === 'screen' ? failed() : getDisplayMedia.call(navigator.mediaDevices, wish);
}

const setBroken = (page: Page, what: 'screen' | 'camera') =>
  page.evaluate((name) => Object.assign(globalThis, { broken: name }), what);

/** Runs in the page: what its newest connection sends, and its end. */
const connectionOf = (page: Page, work: 'silence' | 'close') =>
  page.evaluate(async (wanted) => {
    const { madeConnections } = globalThis as unknown as { madeConnections: RTCPeerConnection[] };
    const connection = madeConnections.findLast((one) => one.connectionState === 'connected');
    if (wanted === 'close') connection?.close();
    else await Promise.all((connection?.getSenders() ?? []).map((sender) => sender.replaceTrack(null)));
  }, work);

/** Clicks, expects a notice of an error, and closes it, because the next one waits until it is gone. */
async function expectError(page: Page, name: string, text: string): Promise<void> {
  await keepNotice(page, text, () => button(page, name).click());
  await page.getByRole('alert').filter({ hasText: text }).getByRole('button', { name: 'Close' }).click();
}

test('what fails in a call is said: sharing, switching cameras, recording, a frozen peer, a lost link @ERROR-2', async ({
  someone,
  demo,
  allow,
}) => {
  // The hub may reconnect after a jump of the page's time.
  allow(/WebSocket connection to .*Unexpected response code: 40[49]/);
  const visit = await buildAppointmentInRoom(demo, { patient: 1 });
  const { page: patient } = await someone({ viewport: phone });
  await watchCalls(patient);
  await patient.goto(`/#/link/${visit.accessCode}`);
  const { page: doctor } = await someone();
  await doctor.addInitScript(breakDevices);
  await doctor.clock.install();
  await watchCalls(doctor);
  await signIn(doctor, 'doctor@demo.test');
  await expect(doctor.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await doctor.goto(`/#/appointment/${visit.uid}`);
  await expectVideo(doctor);
  await expectVideo(patient);

  await expectError(doctor, 'Record this visit', 'The recording functionality is not supported in this browser.');
  await setBroken(doctor, 'screen');
  await expectError(doctor, 'Share your screen', 'Cannot switch the streams.');
  await setBroken(doctor, 'camera');
  await expectError(doctor, 'Switch camera', 'Cannot switch modes.');

  // Connected, but nothing arrives between two checks.
  await connectionOf(patient, 'silence');
  const frozen = doctor.getByRole('status').filter({ hasText: 'Frozen peer detected' });
  await expect(async () => {
    // Shorter than the notice is shown.
    await doctor.clock.runFor(4_000);
    await expect(frozen).toBeVisible({ timeout: 1_000 });
  }).toPass({ timeout: 90_000 });
  await patient.reload();
  await expectVideo(doctor);
  await expectVideo(patient);

  await connectionOf(patient, 'close');
  await expectToast(doctor, 'The video link is lost. Reconnecting...');
  await expectVideo(patient);
  await expectVideo(doctor);
});
