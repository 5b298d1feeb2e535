// @vitest-environment node
// Blobs and ArrayBuffers of jsdom are not those of MessageChannel.
import { afterEach, expect, test } from 'vitest';
import { createConnectedPair } from '../core/fake-channels.ts';
import { fakeClock } from '../core/fake-clock.ts';
import type { Transfer } from './file-link.ts';
import { chunkBytes } from './outgoing-file.ts';
import { Transfers } from './transfers.ts';

const [doctorId, patientId] = ['D_1_x', 'P_2_y'];
const cuts: (() => void)[] = [];
afterEach(() => {
  for (const cut of cuts.splice(0)) cut();
});

/** Bytes that differ from place to place. */
function bytes(size: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: size }, (_, at) => (at * 31 + (at >> 8)) % 251);
}

/** A doctor and a patient, with a connection that can be cut and made again. */
function meet(isConnected = true) {
  const clock = fakeClock();
  let ids = 0;
  const make = (isPatient: boolean) => new Transfers({ isPatient, clock, newId: () => `transfer-${++ids}` });
  const [doctor, patient] = [make(false), make(true)];
  const connect = (reloaded = patient) => {
    const [a, b, cut] = createConnectedPair();
    doctor.createChannel(patientId).openOn(a);
    reloaded.createChannel(doctorId).openOn(b);
    cuts.push(cut);
    return cut;
  };
  return { doctor, patient, clock, connect, make, cut: isConnected ? connect() : () => undefined };
}

const first = (transfers: Transfers): Transfer | undefined => transfers.view.get()[0];
const stateOf = (transfers: Transfers) => transfers.view.get().map(({ name, state }) => `${name}: ${state}`);
const fileOf = (content: Uint8Array<ArrayBuffer>, name = 'x-ray.png') =>
  new File([content], name, { type: 'image/png' });

/** Whether a transfer has brought these bytes. */
async function holds(transfer: Transfer | undefined, content: Uint8Array): Promise<boolean> {
  const arrived = new Uint8Array((await transfer?.content?.arrayBuffer()) ?? new ArrayBuffer());
  return arrived.length === content.length && arrived.every((byte, at) => byte === content[at]);
}

/** Accepts the offer, and cuts the connection when so many bytes have arrived. */
async function acceptsAndLoses(transfers: Transfers, cut: () => void, bytesBefore: number): Promise<void> {
  await expect.poll(() => first(transfers)?.state).toBe('offered');
  const stop = transfers.view.subscribe(() => {
    if ((first(transfers)?.received ?? 0) < bytesBefore) return;
    stop();
    cut();
  });
  transfers.accept(first(transfers)?.id ?? '');
}

async function accepts(transfers: Transfers): Promise<void> {
  await expect.poll(() => first(transfers)?.state).toBe('offered');
  transfers.accept(first(transfers)?.id ?? '');
}

test('a file: is offered, and arrives whole with progress on both sides', async () => {
  const { doctor, patient } = meet();
  const content = bytes(7 * 1024 * 1024 + 5);
  const seen = { doctor: new Set<number>(), patient: new Set<number>() };
  for (const [who, side] of [
    ['doctor', doctor],
    ['patient', patient],
  ] as const) {
    side.view.subscribe(() => seen[who].add(first(side)?.received ?? 0));
  }
  expect(doctor.send(fileOf(content), [patientId])).toBe(true);
  await accepts(patient);
  await expect.poll(() => first(doctor)?.state).toBe('done');
  expect(first(patient)).toMatchObject({ name: 'x-ray.png', size: content.length, state: 'done', peerId: doctorId });
  expect(await holds(first(patient), content)).toBe(true);
  for (const who of ['doctor', 'patient'] as const) expect(seen[who].size).toBeGreaterThan(5);
});

test('several files: are sent one after another', async () => {
  const { doctor, patient } = meet();
  doctor.send(fileOf(bytes(10), 'one'), [patientId]);
  doctor.send(fileOf(bytes(20), 'two'), [patientId]);
  await accepts(patient);
  await expect.poll(() => stateOf(patient)).toEqual(['one: done', 'two: offered']);
  patient.accept(patient.view.get()[1]?.id ?? '');
  await expect.poll(() => stateOf(doctor)).toEqual(['one: done', 'two: done']);
});

test('a lost connection: is waited for, and the rest is sent, not the whole', async () => {
  const { doctor, patient, connect, cut } = meet();
  const content = bytes(4 * 1024 * 1024);
  doctor.send(fileOf(content), [patientId]);
  await acceptsAndLoses(patient, cut, 1024 * 1024);
  await expect.poll(() => [first(doctor)?.state, first(patient)?.state]).toEqual(['paused', 'paused']);
  const before = first(patient)?.received ?? 0;
  const starts: number[] = [];
  doctor.view.subscribe(() => first(doctor)?.state === 'running' && starts.push(first(doctor)?.received ?? 0));
  connect();
  await expect.poll(() => first(doctor)?.state).toBe('done');
  expect(starts[0]).toBeGreaterThanOrEqual(before);
  expect(await holds(first(patient), content)).toBe(true);
});

test('a connection that does not come back: breaks the transfer, which can be sent again', async () => {
  const { doctor, patient, clock, connect, cut } = meet();
  doctor.send(fileOf(bytes(4 * 1024 * 1024)), [patientId]);
  await acceptsAndLoses(patient, cut, 1);
  await expect.poll(() => [first(doctor)?.state, first(patient)?.state]).toEqual(['paused', 'paused']);
  clock.pass(60_000);
  expect([stateOf(doctor), stateOf(patient)]).toEqual([['x-ray.png: broken'], ['x-ray.png: broken']]);
  connect();
  doctor.retry(first(doctor)?.id ?? '');
  await expect.poll(() => stateOf(patient)).toEqual(['x-ray.png: broken', 'x-ray.png: offered']);
  patient.accept(patient.view.get()[1]?.id ?? '');
  await expect.poll(() => stateOf(doctor)).toEqual(['x-ray.png: done']);
});

test('a file for a person who is not connected yet: waits for the connection, or breaks and can be sent again', async () => {
  const { doctor, patient, clock, connect } = meet(false);
  const content = bytes(40_000);
  expect(doctor.send(fileOf(content), [patientId])).toBe(true);
  expect(stateOf(doctor)).toEqual(['x-ray.png: paused']);
  clock.pass(60_000);
  expect(stateOf(doctor)).toEqual(['x-ray.png: broken']);
  doctor.retry(first(doctor)?.id ?? '');
  expect(stateOf(doctor)).toEqual(['x-ray.png: paused']);
  connect();
  await accepts(patient);
  await expect.poll(() => first(doctor)?.state).toBe('done');
  expect(await holds(first(patient), content)).toBe(true);
});

test('a reloaded receiver: is asked again', async () => {
  const { doctor, patient, connect, make, cut } = meet();
  doctor.send(fileOf(bytes(4 * 1024 * 1024)), [patientId]);
  await acceptsAndLoses(patient, cut, 1);
  const reloaded = make(true);
  connect(reloaded);
  await accepts(reloaded);
  await expect.poll(() => first(doctor)?.state).toBe('done');
  expect(first(reloaded)?.content?.size).toBe(4 * 1024 * 1024);
});

test('bytes that were changed on the way: are noticed by the checksum', async () => {
  const { doctor, patient } = meet();
  const content = bytes(2 * chunkBytes);
  const file = fileOf(content);
  // Reads other bytes than it announces.
  let reads = 0;
  Object.assign(file, { slice: () => new Blob([reads++ === 0 ? content.subarray(0, chunkBytes) : content]) });
  doctor.send(file, [patientId]);
  await accepts(patient);
  await expect.poll(() => first(doctor)?.state).toBe('broken');
  expect(first(patient)).toMatchObject({ state: 'broken' });
  expect(first(patient)?.content).toBeUndefined();
});

test('declining and cancelling: end the transfer on both sides', async () => {
  const { doctor, patient } = meet();
  doctor.send(fileOf(bytes(10), 'one'), [patientId]);
  doctor.send(fileOf(bytes(10), 'two'), [patientId]);
  await expect.poll(() => stateOf(patient)).toEqual(['one: offered']);
  patient.remove(first(patient)?.id ?? '');
  await expect.poll(() => stateOf(patient)).toEqual(['one: declined', 'two: offered']);
  expect(stateOf(doctor)).toEqual(['one: declined', 'two: offered']);
  doctor.remove(doctor.view.get()[1]?.id ?? '');
  await expect.poll(() => stateOf(patient)).toEqual(['one: declined', 'two: cancelled']);
});

test('a patient sends nothing', () => {
  const { patient } = meet();
  expect(patient.send(fileOf(bytes(10)), [doctorId])).toBe(false);
});

test.each(['P_3_z', 'G_4_z'])('a file of the changed page of %s: is declined', async (peerId) => {
  const { doctor, clock } = meet();
  const changed = new Transfers({ isPatient: false, clock, newId: () => 'transfer-9' });
  const [a, b, cut] = createConnectedPair();
  cuts.push(cut);
  doctor.createChannel(peerId).openOn(a);
  changed.createChannel(doctorId).openOn(b);
  changed.send(fileOf(bytes(10)), [doctorId]);
  await expect.poll(() => first(changed)?.state).toBe('declined');
  expect(doctor.view.get()).toEqual([]);
});

test('an empty file, and one that is too large: are not sent', () => {
  const { doctor } = meet();
  const large = Object.defineProperty(fileOf(bytes(1)), 'size', { value: 101 * 1024 * 1024 });
  expect([doctor.send(fileOf(bytes(0)), [patientId]), doctor.send(large, [patientId])]).toEqual([false, false]);
});

test('a file: is sent in chunks of 16 KB @CONST-5', async () => {
  const { doctor, patient, cut } = meet();
  cut();
  const [a, b, end] = createConnectedPair();
  cuts.push(end);
  const sizes: number[] = [];
  const create = a.createDataChannel.bind(a);
  a.createDataChannel = (...args) => {
    const channel = create(...args);
    const send = channel.send.bind(channel) as (data: string | Uint8Array) => void;
    channel.send = (data: unknown) => {
      if (data instanceof Uint8Array) sizes.push(data.byteLength);
      send(data as string | Uint8Array);
    };
    return channel;
  };
  doctor.createChannel(patientId).openOn(a);
  patient.createChannel(doctorId).openOn(b);
  doctor.send(fileOf(bytes(40_000)), [patientId]);
  await accepts(patient);
  await expect.poll(() => first(patient)?.state).toBe('done');
  expect(sizes).toEqual([16_384, 16_384, 40_000 - 2 * 16_384]);
});
