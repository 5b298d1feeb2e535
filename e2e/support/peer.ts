import type { Page } from '@playwright/test';
import { type Demo, demoPassword } from './server.ts';

/** A peer in a room without a browser, without the load of a call. */
export interface Peer {
  readonly accessToken: string;
  /** Closes the connection, as closing the tab does. */
  leave(): void;
}

/**
 * Waits until the server announces arrivals to a page of staff: its next connection to the hub receives `joined` (type 106). Call it before the
 * page connects. What a page shows does not wait for its connection.
 */
export async function waitUntilJoined(page: Page): Promise<void> {
  const socket = await page.waitForEvent('websocket', (one) => one.url().includes('/messaging'));
  await socket.waitForEvent('framereceived', ({ payload }) => String(payload).includes('"type":106'));
}

/** Enters the room as the patient of a visit's code, and announces video (type 4). */
export function patientArrives(demo: Demo, visit: { uid: string; accessCode: string }): Promise<Peer> {
  const arrived = { type: 4, session: visit.uid };
  return enter(demo, { isPatient: true, user: { email: visit.accessCode } }, [
    ['Subscribe', visit.uid],
    ['SendData', arrived],
  ]);
}

/** Enters a room as one of the demo's staff. */
export function staffEnters(demo: Demo, email: string, uid: string): Promise<Peer> {
  return enter(demo, { isPatient: false, user: { email, password: demoPassword } }, [['Subscribe', uid]]);
}

/** Signs in and speaks the hub's JSON protocol: records end with 0x1e, each call waits for its completion. */
async function enter(demo: Demo, login: object, calls: readonly (readonly [string, unknown])[]): Promise<Peer> {
  const { accessToken } = await post<{ accessToken: string }>(`${demo.url}/api/auth/login`, login);
  const { connectionToken } = await post<{ connectionToken: string }>(
    `${demo.url}/messaging/negotiate?negotiateVersion=1`,
    {},
    { authorization: `Bearer ${accessToken}` },
  );
  const query = new URLSearchParams({ id: connectionToken, access_token: accessToken });
  const socket = new WebSocket(`${demo.url.replace('http', 'ws')}/messaging?${query}`);
  const say = (record: object) => socket.send(`${JSON.stringify(record)}\u001e`);
  const left = [...calls];
  await new Promise<void>((resolve, reject) => {
    const next = () => {
      const call = left.shift();
      if (!call) return resolve();
      say({ type: 1, invocationId: String(left.length), target: call[0], arguments: [call[1]] });
    };
    socket.addEventListener('open', () => say({ protocol: 'json', version: 1 }));
    socket.addEventListener('error', () => reject(new Error('The hub cannot be reached.')));
    socket.addEventListener('message', ({ data }) => {
      for (const text of String(data).split('\u001e').filter(Boolean)) {
        const record = JSON.parse(text) as { type?: number; error?: string };
        if (record.error) reject(new Error(record.error));
        // The handshake's response has no type; 3 completes a call.
        if (record.type === undefined || record.type === 3) next();
      }
    });
  });
  return { accessToken, leave: () => socket.close() };
}

async function post<T>(url: string, body: object, headers: Record<string, string> = {}): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${new URL(url).pathname} answered ${response.status}.`);
  return (await response.json()) as T;
}
