import { Subject } from '@microsoft/signalr';
import { describe, expect, test } from 'vitest';
import { type Kind, kinds, type Peer, transports, type World, world } from './world.ts';

/** All features over every transport and protocol, directly and behind a load balancer without sticky sessions. */

const ways = [1, 2] as const;
const all = ways.flatMap((instances) => kinds.map((kind) => [...kind, instances] as const));
const title = '%s, %s, %i server(s)';

async function started(kind: Kind, instances: number, user?: string): Promise<World & { anna: Peer }> {
  const made = await world(instances);
  const anna = made.connect(kind, user === undefined ? {} : { user });
  await anna.start();
  return { ...made, anna };
}

/** Collects the items of a stream and how it ended. */
function collect<T>(from: { subscribe(to: Observer<T>): unknown }): Promise<{ items: T[]; error?: string }> {
  const items: T[] = [];
  return new Promise((resolve) => {
    from.subscribe({
      next: (item) => void items.push(item),
      complete: () => resolve({ items }),
      error: (error: Error) => resolve({ items, error: error.message }),
    });
  });
}

interface Observer<T> {
  next(item: T): void;
  complete(): void;
  error(error: Error): void;
}

describe.each(all)(title, (transport, protocol, instances) => {
  const kind: Kind = [transport, protocol];

  test('I1 I5 M5 calls: return results and error texts', async () => {
    const { anna } = await started(kind, instances);
    const value = { text: 'Ünï\n\u001e"cödé', list: [1, 2.5, null], deep: { yes: true } };
    expect(await anna.invoke('Echo', value)).toEqual(value);
    expect(await anna.invoke('Echo', undefined)).toBeNull();
    expect(await anna.invoke('Nothing')).toBeNull();
    await expect(anna.invoke('Fail', 'hub')).rejects.toThrow(
      "An unexpected error occurred invoking 'Fail' on the server. HubException: Not today.",
    );
    await expect(anna.invoke('Fail', 'other')).rejects.toThrow(
      /^An unexpected error occurred invoking 'Fail' on the server\.$/,
    );
    const large = 'x'.repeat(30_000);
    expect(await Promise.all(Array.from({ length: 20 }, () => anna.invoke('Echo', large)))).toEqual(
      Array(20).fill(large),
    );
  });

  test('G1 G5 messages: in order, to the right groups, users and others', async () => {
    const { connect, anna } = await started(kind, instances, 'anna');
    const ben = connect(kind, { user: 'ben' });
    const received: string[] = [];
    ben.on('Said', (text, from) => void received.push(`${from}: ${text}`));
    await ben.start();
    const numbers: number[] = [];
    anna.on('Number', (value) => void numbers.push(value));
    await anna.invoke('Push', 200);
    await anna.invoke('Nothing');
    await expect.poll(() => numbers).toEqual(Array.from({ length: 200 }, (_, index) => index));
    await ben.invoke('Join', 'x');
    await anna.invoke('ToGroup', 'x', 'group');
    await anna.invoke('ToUser', 'ben', 'user');
    await anna.invoke('ToOthers', 'others');
    await expect.poll(() => received).toHaveLength(3);
    await ben.invoke('Leave', 'x');
    await anna.invoke('ToGroup', 'x', 'gone');
    await anna.invoke('ToUser', 'ben', 'last');
    await expect.poll(() => received.at(-1)).toBe('anna: last');
    expect(received.toSorted()).toEqual(['anna: group', 'anna: last', 'anna: others', 'anna: user']);
  });

  test('T1 T2 T3 streams from the server: completed, failed and cancelled', async () => {
    const { anna, ended } = await started(kind, instances);
    expect(await collect(anna.stream('Count', 100, false))).toEqual({
      items: Array.from({ length: 100 }, (_, index) => index),
    });
    expect(await collect(anna.stream('Count', 2, true))).toEqual({
      items: [0, 1],
      error: 'An error occurred on the server while streaming results. HubException: Enough.',
    });
    let seen = 0;
    await new Promise<void>((resolve, reject) => {
      const subscription = anna.stream('Endless').subscribe({
        next: () => {
          if (++seen !== 3) return;
          subscription.dispose();
          resolve();
        },
        complete: () => {},
        error: reject,
      });
    });
    await expect.poll(() => ended).toEqual(['Count', 'Count', 'Endless']);
    await expect(anna.invoke('Endless' as 'Nothing')).rejects.toThrow(
      /streaming 'Endless' method with a non-streaming/,
    );
    expect((await collect(anna.stream('Nothing' as 'Endless'))).error).toMatch(/non-streaming 'Nothing' method/);
  });

  test('T4 T5 streams from the client: completed, failed, longer than the method reads, and both directions', async () => {
    const { anna } = await started(kind, instances);
    const send = (count: number, error?: Error) => {
      const subject = new Subject<number>();
      // The client subscribes to the stream only when it is passed to the call.
      setTimeout(() => {
        for (let value = 1; value <= count; value++) subject.next(value);
        if (error) subject.error(error);
        else subject.complete();
      });
      return subject;
    };
    expect(await anna.invoke('Sum', 1_000, send(100))).toBe(6_050);
    await expect(anna.invoke('Sum', 0, send(3, new Error('Torn.')))).rejects.toThrow(/HubException: .*Torn\./);
    expect(await anna.invoke('First', send(12))).toBe(1);
    expect(await collect(anna.stream('Double', send(3)))).toEqual({ items: [2, 4, 6] });
    await expect(anna.invoke('Sum' as 'Echo', 1)).rejects.toThrow('Client sent 0 stream(s), Hub method expects 1.');
    // The client sends all items, read or not.
    for (let turn = 0; turn < 15; turn++) expect(await anna.invoke('Echo', turn)).toBe(turn);
  });

  test('R1 R2 R3 client results: within its own call and from outside', async () => {
    const { anna, served, definition } = await started(kind, instances);
    const controls = served.map(({ hubs }) => hubs.of(definition));
    const id = anna.connectionId ?? '';
    await expect(anna.invoke('AskMe', 'Anybody?')).rejects.toThrow(/AskMe/);
    anna.on('Answer', (question) => `${question} Yes.`);
    expect(await anna.invoke('AskMe', 'Well?')).toBe('Well? Yes.');
    for (const control of controls)
      expect(await control.connection(id).invoke('Answer', ['Outside?'])).toBe('Outside? Yes.');
    anna.off('Answer');
    anna.on('Answer', () => {
      throw new Error('No.');
    });
    for (const control of controls)
      await expect(control.connection(id).invoke('Answer', ['?'])).rejects.toThrow(/No\./);
    await expect(controls[0]?.connection('unknown').invoke('Answer', ['?'])).rejects.toThrow('no such connection');
  });

  test('E2 O2 one client object that starts and stops repeatedly: leaves nothing behind', async () => {
    const { anna, served, reasons } = await started(kind, instances);
    const rounds = transport === 'WebSockets' ? 50 : 15;
    for (let round = 0; round < rounds; round++) {
      await anna.stop();
      await anna.start();
    }
    expect(await anna.invoke('Echo', 1)).toBe(1);
    await anna.stop();
    await expect.poll(() => reasons).toHaveLength(rounds + 1);
    expect(new Set(reasons)).toEqual(new Set(['client-stop']));
    for (const { hubs } of served)
      expect(hubs.stats().hubs['/hub']).toMatchObject({ connections: 0, users: 0, groups: 0, negotiations: 0 });
  });
});

test('X1 MessagePack: sends binary values; event streams refuse it', async () => {
  const { connect } = await world();
  const anna = connect(['WebSockets', 'messagepack']);
  await anna.start();
  expect(await anna.invoke('Bytes', new Uint8Array([0, 30, 255]))).toEqual(new Uint8Array([0, 30, 255]));
  await expect(connect(['ServerSentEvents', 'messagepack']).start()).rejects.toThrow(/ServerSentEvents/);
});

test('N8 each transport: used when it is the only one offered', async () => {
  const { connect, served, definition } = await world();
  for (const transport of transports) {
    const anna = connect([transport, 'json']);
    await anna.start();
    expect(served[0]?.hubs.of(definition).connections()).toMatchObject([{ transport }]);
    await anna.stop();
    await expect.poll(() => served[0]?.hubs.of(definition).connections()).toEqual([]);
  }
});
