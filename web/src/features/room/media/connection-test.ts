import type { ConnectionSample } from '@roomside/contract/waiting-room/device-check.ts';

interface Parts {
  /** Creates a connection that uses TURN servers only. */
  connect: () => RTCPeerConnection;
  /** ms. */
  now: () => number;
  after: (ms: number, work: () => void) => () => void;
}

/** Packets like those of a phone call: 50 a second of 160 bytes, for two seconds. */
const packets = { count: 100, intervalMs: 20, bytes: 160 } as const;
/** Time for both ends to find each other, ms. */
const openTimeoutMs = 8_000;
/** How long the last packets may take, ms. */
const restMs = 1_000;

/**
 * Measures the way to the relay and back: two connections of this page meet there, one sends packets, the other returns them. A lost
 * packet is not sent again. Resolves with undefined when the two cannot meet.
 */
export async function testConnection({ connect, now, after }: Parts): Promise<ConnectionSample | undefined> {
  const near = connect();
  const far = connect();
  const pause = (ms: number) => new Promise<void>((resolve) => void after(ms, resolve));
  try {
    const channel = near.createDataChannel('test', { ordered: false, maxRetransmits: 0 });
    channel.binaryType = 'arraybuffer';
    far.ondatachannel = ({ channel: echo }) => {
      echo.binaryType = 'arraybuffer';
      echo.onmessage = ({ data }) => echo.readyState === 'open' && echo.send(data as ArrayBuffer);
    };
    const opened = new Promise<boolean>((resolve) => {
      channel.onopen = () => resolve(true);
      after(openTimeoutMs, () => resolve(false));
    });
    await introduce(near, far);
    if (!(await opened)) return undefined;

    const times = new Map<number, number>();
    const trips: number[] = [];
    channel.onmessage = ({ data }) => {
      const number = new DataView(data as ArrayBuffer).getUint32(0);
      const sentAt = times.get(number);
      if (sentAt !== undefined) trips.push(now() - sentAt);
      times.delete(number);
    };
    for (let number = 0; number < packets.count && channel.readyState === 'open'; number += 1) {
      const packet = new DataView(new ArrayBuffer(packets.bytes));
      packet.setUint32(0, number);
      times.set(number, now());
      channel.send(packet.buffer);
      await pause(packets.intervalMs);
    }
    await pause(restMs);
    return sampleOf(trips, packets.count);
  } catch {
    return undefined;
  } finally {
    near.close();
    far.close();
  }
}

/** Requests to the server, one after another, and the time for each, ms. */
const requests = { count: 20, timeoutMs: 2_000 } as const;

/**
 * Measures the way to the server by small requests, where there is no relay: connections within the page would not leave the device.
 * Resolves with undefined when none has a response.
 */
export async function testServer({
  reach,
  now,
}: {
  reach: (timeoutMs: number) => Promise<boolean>;
  now: () => number;
}): Promise<ConnectionSample | undefined> {
  const trips: number[] = [];
  // The first one may open a connection.
  await reach(requests.timeoutMs);
  for (let sent = 0; sent < requests.count; sent += 1) {
    const from = now();
    if (await reach(requests.timeoutMs)) trips.push(now() - from);
    // Without any response the rest would only take time.
    if (sent === 2 && trips.length === 0) return undefined;
  }
  return sampleOf(trips, requests.count);
}

/** Exchanges descriptions and candidates between two connections of one page. */
async function introduce(near: RTCPeerConnection, far: RTCPeerConnection): Promise<void> {
  const toFar = holdCandidates(near);
  const toNear = holdCandidates(far);
  await near.setLocalDescription();
  await far.setRemoteDescription(near.localDescription as RTCSessionDescription);
  await far.setLocalDescription();
  await near.setRemoteDescription(far.localDescription as RTCSessionDescription);
  toFar(far);
  toNear(near);
}

/** Holds the candidates of a connection until the other one has its description; the returned function passes them on. */
function holdCandidates(from: RTCPeerConnection): (to: RTCPeerConnection) => void {
  const held: RTCIceCandidate[] = [];
  from.onicecandidate = ({ candidate }) => void (candidate && held.push(candidate));
  return (to) => {
    const pass = (candidate: RTCIceCandidate) => void to.addIceCandidate(candidate).catch(() => undefined);
    from.onicecandidate = ({ candidate }) => candidate && pass(candidate);
    held.forEach(pass);
  };
}

/** Returns the share of packets that did not come back, and the median of the round trips; undefined when none came back. */
export function sampleOf(trips: readonly number[], sent: number): ConnectionSample | undefined {
  const sorted = trips.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  if (median === undefined) return undefined;
  return { loss: 1 - trips.length / sent, roundTripMs: median };
}
