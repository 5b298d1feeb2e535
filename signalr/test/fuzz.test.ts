import { once } from 'node:events';
import { expect, test } from 'vitest';
import { hub } from '../src/index.ts';
import { Raw, serve } from './support.ts';

/** A small generator with a fixed seed (mulberry32), so that a failure can be repeated. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const pieces = [
  '{"type":1,"invocationId":"1","target":"Echo","arguments":[1]}\x1e',
  '{"type":1,"target":"Echo","arguments":[[[[[[{}]]]]]]}\x1e',
  '{"type":6}\x1e{"type":6}\x1e',
  '{"type":3,"invocationId":"1"}\x1e',
  '{"type":5,"invocationId":"1"}\x1e',
  '{"type":1e999}\x1e',
  '{"type":{"__proto__":1}}\x1e',
  '\x1e',
  '\x1e\x1e\x1e',
  '[',
  'null\x1e',
  '\u0000\ufeff',
  '{"protocol":"json","version":1}\x1e',
];

test('M2 W4 whatever a client sends, the server lives on and forgets it', async () => {
  const echo = hub<{ Echo(value: unknown): unknown }, object>({
    path: '/hub',
    methods: { Echo: (_ctx, value) => value },
  });
  const { url, hubs, logged } = await serve(echo);
  const pick = random(7);
  for (let client = 0; client < 60; client++) {
    const { ws, closed } = await Raw.connect(`${url}/hub`, { handshake: client % 3 > 0 });
    for (let frame = 0; frame < 20; frame++) {
      const text = Array.from({ length: 1 + pick(4) }, () => pieces[pick(pieces.length)]).join('');
      const bytes = Buffer.from(text);
      if (pick(3) === 0) bytes[pick(bytes.length)] = pick(256);
      ws.send(bytes.subarray(0, 1 + pick(bytes.length)), { binary: pick(2) === 0 });
    }
    ws.close();
    await closed;
  }
  const raw = await Raw.connect(`${url}/hub`);
  expect(await raw.call('Echo', 'alive')).toEqual({ type: 3, invocationId: '1', result: 'alive' });
  expect(hubs.stats().hubs['/hub']).toMatchObject({ connections: 1, negotiations: 0 });
  expect(logged.filter(({ level }) => level === 'error')).toEqual([]);
});

test('L1 a hundred thousand pings leave nothing behind', async () => {
  const empty = hub<object, object>({ path: '/hub', methods: {} });
  const { url, hubs } = await serve(empty);
  const { ws } = await Raw.connect(`${url}/hub`);
  for (let i = 0; i < 100; i++) ws.send('{"type":6}\x1e'.repeat(1_000));
  ws.ping();
  await once(ws, 'pong');
  expect(hubs.stats().hubs['/hub']).toMatchObject({ connections: 1, protocolErrors: 0 });
});
