import { expect, test } from 'vitest';
import { createConnectedPair } from '../core/fake-channels.ts';
import { fakeClock } from '../core/fake-clock.ts';
import { Pictures } from './pictures.ts';

const track = {} as MediaStreamTrack;
const [doctorId, patientId] = ['D_1_x', 'P_2_y'];

interface Wishes {
  camera?: MediaStreamTrack | undefined;
  /** The patient's upload. */
  upload?: (key: string) => Promise<void>;
  /** The upload of the staff's page. */
  ownUpload?: (key: string) => Promise<void>;
  isConnected?: boolean;
}

/** A doctor and a patient in a room, whose server stores the first picture of a key and notifies both. */
function meet({ upload, ownUpload, isConnected = true, ...more }: Wishes = {}) {
  const clock = fakeClock();
  const stored = new Map<string, string>();
  const shown: string[] = [];
  const store = async (key: string, jpeg: Blob) => {
    if (stored.has(key)) return;
    stored.set(key, await jpeg.text());
    for (const one of [doctor, patient]) one.stored(key);
  };
  const parts = (who: string) => ({
    clock,
    newKey: () => `key-${who}-1`,
    camera: () => ('camera' in more ? more.camera : track),
    takePhoto: async () => new Blob(['photo']),
    takeFrame: async () => new Blob(['frame']),
  });
  const doctor = new Pictures({
    ...parts('doctor'),
    isPatient: false,
    upload: async (key, jpeg) => (await ownUpload?.(key), store(key, jpeg)),
  });
  const patient = new Pictures({
    ...parts('patient'),
    isPatient: true,
    upload: async (key, jpeg) => (await upload?.(key), store(key, jpeg)),
  });
  const listen = (who: string, { view }: Pictures) => {
    let before = view.get().last;
    view.subscribe(() => {
      const { last } = view.get();
      if (last && last !== before) shown.push(`${who}: ${last.outcome === 'taken' ? 'taken' : String(last.error)}`);
      before = last;
    });
  };
  listen('doctor', doctor);
  listen('patient', patient);
  const [ofDoctor, ofPatient] = [doctor.createChannel(patientId), patient.createChannel(doctorId)];
  const [a, b] = createConnectedPair();
  if (isConnected) {
    ofDoctor.openOn(a);
    ofPatient.openOn(b);
  }
  return { clock, stored, shown, doctor, patient, pictures: () => [...stored.values()] };
}

test('the patient’s device takes the picture: both are notified, and one is stored', async () => {
  const { doctor, shown, pictures } = meet();
  await doctor.take({ peerId: patientId, track });
  expect(pictures()).toEqual(['photo']);
  expect(shown.toSorted()).toEqual(['doctor: taken', 'patient: taken']);
  expect(doctor.view.get().busy).toBe(false);
});

test.each<[string, Wishes]>([
  ['is not connected', { isConnected: false }],
  ['has its camera off', { camera: undefined }],
  ['cannot send it', { upload: () => Promise.reject(new Error('away')) }],
])('a device that %s: the received video is taken', async (_what, wishes) => {
  const { doctor, pictures, shown } = meet(wishes);
  await doctor.take({ peerId: patientId, track });
  expect(pictures()).toEqual(['frame']);
  expect(shown).toContain('patient: taken');
});

test('a device that takes too long: the received video is taken, and the late picture is dropped', async () => {
  let finish = () => {};
  const { doctor, clock, pictures, shown } = meet({ upload: () => new Promise((resolve) => void (finish = resolve)) });
  const taken = doctor.take({ peerId: patientId, track });
  await expect.poll(() => clock.waiting()).toBe(1);
  clock.pass(30_000);
  await taken;
  finish();
  expect(pictures()).toEqual(['frame']);
  expect(shown).toContain('doctor: taken');
});

test('a device that does not answer: is waited for five seconds', async () => {
  const { doctor, patient, clock, pictures } = meet();
  // Its page is busy with an earlier request.
  patient.view.set({ busy: true, last: undefined });
  const taken = doctor.take({ peerId: patientId, track });
  await expect.poll(() => clock.waiting()).toBe(1);
  clock.pass(4_999);
  expect(pictures()).toEqual([]);
  clock.pass(1);
  await taken;
  expect(pictures()).toEqual(['frame']);
});

test('a failed upload: is reported and clears the busy flag', async () => {
  const { doctor, shown } = meet({ isConnected: false, ownUpload: () => Promise.reject(new Error('away')) });
  await doctor.take({ peerId: patientId, track });
  expect(shown).toEqual(['doctor: Error: away']);
  expect(doctor.view.get().busy).toBe(false);
});

test.each([
  [doctorId, true],
  ['P_3_z', false],
  ['G_4_z', false],
])('a picture that %s asks a patient for: is taken: %s', (askerId, isTaken) => {
  const { patient } = meet({ isConnected: false });
  const channel = { readyState: 'open', send: () => undefined, onmessage: (_event: { data: string }) => undefined };
  const connection = { createDataChannel: () => channel } as unknown as RTCPeerConnection;
  patient.createChannel(askerId).openOn(connection);
  channel.onmessage({ data: JSON.stringify({ ask: 'picture-0001' }) });
  expect(patient.view.get().busy).toBe(isTaken);
});

test('a picture that is asked for by a patient or of staff: is not taken', async () => {
  const { doctor, patient, clock, pictures, shown } = meet();
  const taken = patient.take({ peerId: doctorId, track: undefined });
  await expect.poll(() => clock.waiting()).toBe(1);
  clock.pass(5_000);
  await taken;
  expect(pictures()).toEqual([]);
  expect(shown).toEqual(['patient: Error: No video is received.']);
  expect(doctor.view.get().busy).toBe(false);
});
