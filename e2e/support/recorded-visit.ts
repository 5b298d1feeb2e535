import { randomUUID } from 'node:crypto';
import { expect, type Page } from '@playwright/test';
import { patientArrives, staffEnters } from './peer.ts';
import type { Demo } from './server.ts';
import { buildAppointmentInRoom, type MadeVisit } from './visit.ts';

/** When a segment begins and ends, s since the first one. */
type Period = readonly [start: number, stop: number];

export interface RecordedVisit extends MadeVisit {
  /** The ids of the segments, by track and time. */
  readonly segments: readonly (readonly string[])[];
}

/** Who is recorded, in this order: the recording provider, the patient, and colleagues. */
const colleagues = ['doctor2@demo.test', 'admin@demo.test'];
/**
 * A visit whose tracks have these segments; each plays for `contentMs`. Everyone is in the room and has allowed it, without browsers;
 * `page` only makes the content.
 */
export async function buildRecordedVisit(
  demo: Demo,
  page: Page,
  tracks: readonly (readonly Period[])[],
  contentMs = 4_000,
): Promise<RecordedVisit> {
  const visit = await buildAppointmentInRoom(demo);
  const doctor = await staffEnters(demo, 'doctor@demo.test', visit.uid);
  const others = [
    await patientArrives(demo, visit),
    ...(await Promise.all(
      colleagues.slice(0, Math.max(0, tracks.length - 2)).map((email) => staffEnters(demo, email, visit.uid)),
    )),
  ];
  const ask = requests(demo, visit.uid);
  const { runId } = await ask<{ runId: number }>(doctor.accessToken, 'POST', '/recording');
  const devices: string[] = [];
  for (const { accessToken } of [doctor, ...others]) {
    devices.push((await ask<{ peerId: string }>(accessToken, 'GET', '')).peerId);
    if (accessToken === doctor.accessToken) continue;
    await ask(accessToken, 'POST', '/recording/answers', { runId, streamId: 'stream', allowed: true });
  }
  const content = Buffer.from(await page.evaluate(recordContent, contentMs), 'base64');
  const origin = Date.now() - 3_600_000;
  const segments: string[][] = [];
  for (const [index, periods] of tracks.entries()) {
    const ids: string[] = [];
    for (const [start, stop] of periods)
      ids.push(
        await upload(demo, doctor.accessToken, content, {
          ...partsOf(devices[index] ?? ''),
          appointmentUid: visit.uid,
          serial: randomUUID(),
          started: new Date(origin + start * 1000).toISOString(),
          stopped: new Date(origin + stop * 1000).toISOString(),
        }),
      );
    segments.push(ids);
  }
  for (const peer of [doctor, ...others]) peer.leave();
  return { ...visit, segments };
}

function partsOf(peerId: string): { roleId: string; userId: string; device: string } {
  const [roleId = '', userId = '', ...device] = peerId.split('_');
  return { roleId, userId, device: device.join('_') };
}

const requests =
  (demo: Demo, uid: string) =>
  async <T>(token: string, method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${demo.url}/api/teleappointments/${uid}${path}`, {
      method,
      headers: {
        origin: demo.url,
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };

async function upload(
  demo: Demo,
  token: string,
  content: Buffer<ArrayBuffer>,
  query: Record<string, string>,
): Promise<string> {
  const response = await fetch(`${demo.url}/api/recordings?${new URLSearchParams(query)}`, {
    method: 'POST',
    headers: { origin: demo.url, authorization: `Bearer ${token}`, 'content-type': 'video/mp4' },
    body: content,
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return ((await response.json()) as { blobUid: string }).blobUid;
}

/** Runs in the page: records a canvas that changes for a time. Returns the file in base64. */
async function recordContent(ms: number): Promise<string> {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [160, 120];
  const context = canvas.getContext('2d');
  let frame = 0;
  const drawing = setInterval(() => {
    if (!context) return;
    context.fillStyle = `hsl(${(frame += 6)} 60% 50%)`;
    context.fillRect(0, 0, 160, 120);
  }, 50);
  const recorder = new MediaRecorder(canvas.captureStream(20), { mimeType: 'video/mp4;codecs=vp9' });
  const parts: Blob[] = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const stopped = new Promise((resolve) => {
    recorder.onstop = resolve;
  });
  recorder.start();
  setTimeout(() => recorder.stop(), ms);
  await stopped;
  clearInterval(drawing);
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Waits until the page of a recording can play its tracks. A track that is still being loaded when it is deleted is not found. */
export async function expectTracksLoaded(page: Page): Promise<void> {
  await expect
    .poll(() =>
      page
        .locator('.rec-tile video')
        .evaluateAll((all: HTMLVideoElement[]) => all.length > 0 && all.every((one) => one.readyState > 2)),
    )
    .toBe(true);
}
