import type { Page } from '@playwright/test';

/** The end of a record of SignalR's JSON protocol. */
const end = '\u001e';

interface Signal {
  description?: { type: 'offer' | 'answer'; sdp: string };
  candidate?: RTCIceCandidateInit;
}
interface Invocation {
  target?: string;
  arguments?: { type?: number; payload?: Signal }[];
}

/**
 * Stands between two pages, as a server that replaces the descriptions could: the page `between` ends the connections of both and forwards
 * sound, video and the messages of the data channels. Call it before the pages are opened.
 */
export async function standBetween(between: Page, pages: readonly [Page, Page]): Promise<void> {
  await between.evaluate(prepare);
  for (const [side, page] of pages.entries()) {
    await page.routeWebSocket(/\/messaging/, (socket) => {
      const server = socket.connectToServer();
      let queue: Promise<void> = Promise.resolve();
      socket.onMessage((data) => {
        queue = queue.then(async () => {
          const records = String(data).split(end).slice(0, -1);
          const changed = await Promise.all(records.map((record) => exchange(between, side, record)));
          server.send(changed.map((record) => record + end).join(''));
        });
      });
    });
  }
}

/** Replaces the description or candidate that a record carries. */
async function exchange(between: Page, side: number, record: string): Promise<string> {
  const message = JSON.parse(record) as Invocation;
  const [data] = message.arguments ?? [];
  const signal = data?.payload;
  if (message.target !== 'SendData' || data?.type !== 2 || !signal) return record;
  if (signal.candidate) {
    await between.evaluate(([from, candidate]) => (globalThis as unknown as Relay).addCandidate(from, candidate), [
      side,
      signal.candidate,
    ] as const);
    delete signal.candidate;
  } else if (signal.description) {
    signal.description = await between.evaluate(
      ([from, description]) => (globalThis as unknown as Relay).replace(from, description),
      [side, signal.description] as const,
    );
  }
  return JSON.stringify(message);
}

/** The functions of the page between. */
interface Relay {
  addCandidate(side: number, candidate: RTCIceCandidateInit): Promise<void>;
  replace(
    side: number,
    description: { type: 'offer' | 'answer'; sdp: string },
  ): Promise<{ type: 'offer' | 'answer'; sdp: string }>;
}

/** Runs in the page between. */
function prepare(): void {
  const ends = [0, 1].map(() => {
    const pc = new RTCPeerConnection();
    const channels = [0, 2].map((id) => pc.createDataChannel(String(id), { negotiated: true, id }));
    return { pc, channels };
  });
  const early: RTCIceCandidateInit[][] = [[], []];
  const other = (side: number) => ends[1 - side];
  for (const [side, { pc, channels }] of ends.entries()) {
    for (const [index, channel] of channels.entries()) {
      channel.onmessage = ({ data }) => {
        const next = other(side)?.channels[index];
        if (next?.readyState === 'open') next.send(data);
        else next?.addEventListener('open', () => next.send(data));
      };
    }
    pc.ontrack = ({ track }) => {
      const sender = other(side)
        ?.pc.getTransceivers()
        .find(({ receiver }) => receiver.track.kind === track.kind)?.sender;
      void sender?.replaceTrack(track);
    };
  }
  const local = async (pc: RTCPeerConnection) => {
    await pc.setLocalDescription();
    if (pc.iceGatheringState !== 'complete') {
      await new Promise<void>((resolve) => {
        pc.onicegatheringstatechange = () => pc.iceGatheringState === 'complete' && resolve();
      });
    }
    return pc.localDescription as { type: 'offer' | 'answer'; sdp: string };
  };
  const functions: Relay = {
    async addCandidate(side, candidate) {
      const { pc } = ends[side] as (typeof ends)[number];
      if (pc.remoteDescription) await pc.addIceCandidate(candidate);
      else early[side]?.push(candidate);
    },
    async replace(side, description) {
      const near = ends[side] as (typeof ends)[number];
      const far = ends[1 - side] as (typeof ends)[number];
      if (description.type === 'offer') for (const kind of ['audio', 'video']) far.pc.addTransceiver(kind);
      await near.pc.setRemoteDescription(description);
      for (const candidate of early[side]?.splice(0) ?? []) await near.pc.addIceCandidate(candidate);
      for (const transceiver of near.pc.getTransceivers()) transceiver.direction = 'sendrecv';
      return local(far.pc);
    },
  };
  Object.assign(globalThis, functions);
}
