import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Backplane } from '../src/types.ts';
import { type Broker, brokered, type Engine, engines, eventually, TestNode, world } from './support-backplane.ts';

const bytes = (text: string) => Buffer.from(text);
const range = (count: number) => Array.from({ length: count }, (_, index) => String(index));

describe.each(engines)('$name', (engine) => {
  const broker = brokered(engine);
  const here = () => world(engine, broker());

  test('B1 publish: reaches the other subscribed members, never the publisher', async () => {
    const { two, plane, up } = here();
    const [one, other] = await two();
    const elsewhere = plane();
    const third = new TestNode(elsewhere, 'third');
    await up(elsewhere);
    await third.join('another room');
    await Promise.all([one, other].map((node) => node.join('room')));
    one.publish('room', 'from one');
    other.publish('room', 'from other');
    await other.receivedAllOf(one);
    await one.receivedAllOf(other);
    expect(one.texts).toEqual(['from other']);
    expect(other.texts).toEqual(['from one']);
    expect(other.received[0]?.topic).toBe('room');
    await third.receivedAllOf(one);
    expect(third.received).toEqual([]);
  });

  test('B1 publish: 5,000 messages arrive in order', async () => {
    const [one, other] = await here().two();
    await other.join('room');
    for (const text of range(5000)) one.publish('room', text);
    await other.receivedAllOf(one);
    expect(other.texts).toEqual(range(5000));
  });

  test('B1 publish: any bytes up to 1 MiB arrive unchanged', async () => {
    const [one, other] = await here().two();
    await other.join('room');
    const every = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const sent = [every, new Uint8Array(0), new Uint8Array(1000), bytes('\r\n\r\n'), randomBytes(1024 * 1024)];
    for (const data of sent) void one.link.publish('room', data);
    // Also while the receiver waits for replies to its own commands.
    const hear = other.receive.bind(other);
    other.receive = (topic, data) => {
      hear(topic, data);
      other.publish('elsewhere', 'x');
    };
    const more = Array.from({ length: 5000 }, () => every);
    for (const data of more) void one.link.publish('room', data);
    await other.receivedAllOf(one);
    const received = other.received.map(({ data }) => Buffer.from(data));
    expect(received.length).toBe(sent.length + more.length);
    expect([...sent, ...more].every((data, index) => received[index]?.equals(data))).toBe(true);
  });

  test('B2 topics: any text, each topic is separate', async () => {
    const [one, other] = await here().two();
    const odd = [
      'a b',
      'a.b',
      'a.*',
      '*',
      '>',
      'a.>',
      'A.B',
      'Grüße 世界 🎈',
      '',
      ':',
      'topic:a',
      'inbox:one',
      'reply:x',
      '[a-z]?',
    ];
    const long = ['', 'x', 'y'].map((end) => '世'.repeat(1000 - end.length) + end);
    const topics = [...odd, ...long, 'a'.repeat(96), 'a'.repeat(97)];
    await Promise.all(topics.map((topic) => other.join(topic)));
    for (const topic of topics) one.publish(topic, topic);
    await other.receivedAllOf(one);
    expect(other.received.map(({ topic }) => topic)).toEqual(topics);
    expect(other.texts).toEqual(topics);
  });

  test('B2 topics: thousands, and prefixes separate applications', async () => {
    const { two, plane, up } = here();
    const [one, other] = await two();
    const foreign = plane({ prefix: 'foreign' });
    await up(foreign);
    const stranger = new TestNode(foreign, 'other');
    const topics = range(3000);
    await Promise.all(topics.map((topic) => other.join(topic)));
    await stranger.join('7');
    for (const topic of topics) one.publish(topic, topic);
    await other.receivedAllOf(one);
    expect(other.texts).toEqual(topics);
    expect(stranger.received).toEqual([]);
  });

  test('B3 unsubscribe: no message arrives, other members of the process stay subscribed', async () => {
    const { two, plane, up } = here();
    const [one, other] = await two();
    const both = plane();
    const [left, right] = [new TestNode(both, 'left'), new TestNode(both, 'right')];
    await up(both);
    for (const node of [other, left, right]) await node.join('room');
    await left.join('room');
    one.publish('room', '1');
    for (const node of [other, left, right]) await node.receivedAllOf(one);
    await other.leave('room');
    await left.leave('room');
    await left.leave('never');
    one.publish('room', '2');
    right.publish('room', '3');
    for (const node of [other, left, right]) await node.receivedAllOf(one);
    expect(other.texts).toEqual(['1']);
    expect(left.texts).toEqual(['1']);
    expect(right.texts).toEqual(['1', '2']);
  });

  test('B3 subscribe and unsubscribe in quick succession: the last call decides', async () => {
    const [one, other] = await here().two();
    for (let round = 0; round < 20; round += 1) {
      const wishes = Array.from({ length: round }, (_, step) => (step + round) % 2 === 1);
      const work = [];
      for (const [step, wish] of wishes.entries()) {
        work.push(wish ? other.join('room') : other.leave('room'));
        if (step % 3 === round % 3) await Promise.race([work.at(-1), new Promise(setImmediate)]);
      }
      await Promise.all(work);
      const before = other.received.length;
      one.publish('room', 'there?');
      await other.receivedAllOf(one);
      expect(other.received.length - before).toBe((wishes.at(-1) ?? false) ? 1 : 0);
      await other.leave('room');
    }
  });

  test('B3 a disconnected member: receives no messages and no requests', async () => {
    const [one, other] = await here().two();
    await other.join('room');
    await other.link.disconnect();
    one.publish('room', 'anyone?');
    await expect(one.request('other', 'there?')).rejects.toThrow('No such process.');
    expect(other.received).toEqual([]);
  });

  test('B4 request: returns the response, also for 200 simultaneous ones', async () => {
    const [one, other] = await here().two();
    other.answer = async (data) => {
      await new Promise(setImmediate);
      return Buffer.concat([bytes('re: '), data]);
    };
    expect(await one.request('other', 'hello')).toBe('re: hello');
    expect(await other.request('one', '')).toBe('');
    const answers = await Promise.all(range(200).map((text) => one.request('other', text)));
    expect(answers).toEqual(range(200).map((text) => `re: ${text}`));
    const large = randomBytes(1000 * 1000);
    other.answer = (data) => data;
    expect(Buffer.from(await one.link.request('other', large, 5000)).equals(large)).toBe(true);
  });

  test('B5 request: rejects with the reason when it is refused', async () => {
    const [one, other] = await here().two();
    other.answer = async () => Promise.reject(new Error('Not here: Zoë'));
    await expect(one.request('other', 'x')).rejects.toThrow('Not here: Zoë');
    other.answer = () => {
      throw new Error('Broken');
    };
    await expect(one.request('other', 'x')).rejects.toThrow('Broken');
  });

  test('B5 request: rejects immediately when no such node is attached', async () => {
    const [one] = await here().two();
    await expect(one.request('unknown', 'x', 60_000)).rejects.toThrow('No such process.');
  });

  test('B5 request: rejects after the timeout, and a late response is ignored', async () => {
    const [one, other] = await here().two();
    const { promise, resolve } = Promise.withResolvers<Uint8Array>();
    other.answer = () => promise;
    await expect(one.request('other', 'x', 50)).rejects.toThrow('No answer in time.');
    resolve(bytes('late'));
    other.answer = (data) => data;
    expect(await one.request('other', 'next')).toBe('next');
  });

  test('B6 several members of one process: share a backplane', async () => {
    const { plane, up } = here();
    const shared = plane();
    const [one, other] = [new TestNode(shared, 'one'), new TestNode(shared, 'other')];
    await up(shared);
    await one.join('room');
    await other.join('room');
    one.publish('room', 'hello');
    await other.receivedAllOf(one);
    expect(one.received).toEqual([]);
    expect(other.texts).toEqual(['hello']);
    expect(await one.request('other', 'there?')).toBe('there?');
    other.answer = () => new Promise(() => {});
    await expect(one.request('other', 'x', 20)).rejects.toThrow('No answer in time.');
  });
});

/** For backplanes with a broker only. */
describe.each(engines.filter(({ name }) => name !== 'memory'))('$name, its broker', (engine) => {
  beforeEach(({ skip }) => {
    if (engine.absent) skip(engine.absent);
  });

  test('B6 state: down until all topics are subscribed; a member that throws does not affect others', async () => {
    const { broker, plane, up } = await faulty(engine);
    const errors: string[] = [];
    const log = (_: object, message: string) => void errors.push(message);
    const late = plane({ logger: { debug() {}, info() {}, warn: log, error: log } });
    const node = new TestNode(late, 'late');
    expect(node.link.isSingleNode).toBe(false);
    await node.join('room');
    await expect(node.request('unknown', 'x', 60_000)).rejects.toThrow('The backplane is down.');
    node.publish('room', 'lost');
    expect(late.state).toBe('down');
    await expect.poll(() => errors, eventually).toEqual(['backplane is down']);
    await broker.start();
    const another = plane();
    const other = new TestNode(another, 'other');
    await up(another);
    await up(late);
    expect(await other.request('late', 'there?')).toBe('there?');
    node.receive = () => {
      throw new Error('a fault of the application');
    };
    other.publish('room', 'first');
    await expect.poll(() => errors.at(-1), eventually).toBe('backplane message failed');
    delete (node as Partial<TestNode>).receive;
    other.publish('room', 'second');
    await expect.poll(() => node.texts, eventually).toEqual(['second']);
  });

  test('B6 state: up only when all topics are subscribed', async () => {
    const { plane, up } = await faulty(engine, { start: true });
    const first = plane();
    const one = new TestNode(first, 'one');
    await up(first);
    const second = plane();
    const other = new TestNode(second, 'other');
    const topics = range(5000);
    await Promise.all(topics.map((topic) => other.join(topic)));
    while (second.state === 'down') await new Promise(setImmediate);
    for (const topic of topics.toReversed()) one.publish(topic, topic);
    await other.receivedAllOf(one);
    expect(other.texts).toEqual(topics.toReversed());
  });

  test('B5 request: rejects when the asked node is gone without a response, long before the timeout', async ({
    skip,
  }) => {
    skip(engine.name === 'nats', 'NATS does not tell that a node is gone, so that the request waits for its timeout');
    const { plane, up } = await faulty(engine, { start: true });
    const [first, second] = [plane(), plane()];
    const [one, other] = [new TestNode(first, 'one'), new TestNode(second, 'other')];
    await Promise.all([up(first), up(second)]);
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    other.answer = () => {
      resolve();
      return new Promise(() => {});
    };
    const answer = one.request('other', 'x', 60_000).catch(String);
    await asked;
    await second.close();
    expect(await answer).toBe('Error: No such process.');
  });

  test('B7 broker restart: down, then up with all subscriptions; messages in between are lost', async () => {
    const { broker, plane, up, down } = await faulty(engine, { start: true });
    const planes: Backplane[] = [plane(), plane()];
    const [one, other] = planes.map((made, index) => new TestNode(made, ['one', 'other'][index] as string));
    await Promise.all(planes.map(up));
    const topics = range(500);
    await Promise.all(topics.map((topic) => other!.join(topic)));
    await other!.join('given up');
    other!.answer = () => new Promise(() => {});
    const asked = one!.request('other', 'x', 60_000).catch(String);
    await broker.kill();
    await Promise.all(planes.map(down));
    expect(await asked).toBe('Error: The backplane is down.');
    await expect(one!.request('other', 'x', 60_000)).rejects.toThrow('The backplane is down.');
    for (const topic of topics) one!.publish(topic, 'lost');
    await other!.leave('given up');
    await other!.join('new');
    await broker.start();
    await Promise.all(planes.map(up));
    for (const topic of ['given up', ...topics, 'new']) one!.publish(topic, topic);
    await other!.receivedAllOf(one!);
    expect(other!.texts).toEqual([...topics, 'new']);
    other!.answer = (data) => data;
    expect(await one!.request('other', 'still there?')).toBe('still there?');
  });

  test('B8 a broker that does not respond: down, also with many pending messages, and up when it continues', async () => {
    const { broker, plane, up, down } = await faulty(engine, { start: true, pingMs: 50 });
    const logged: string[] = [];
    const log = (_: object, message: string) => void logged.push(message);
    const [quiet, busy] = [plane(), plane({ logger: { debug: log, info: log, warn: log, error: log } })];
    const [one, other] = [new TestNode(quiet, 'one'), new TestNode(busy, 'other')];
    await Promise.all([up(quiet), up(busy)]);
    await one.join('room');
    broker.freeze();
    const asked = other.request('one', 'x', 60_000).catch(String);
    const much = randomBytes(1024 * 1024);
    for (let turn = 0; turn < 100; turn += 1) void other.link.publish('room', much);
    const joined = one.join('another room');
    await Promise.all([down(quiet), down(busy)]);
    await joined;
    expect(logged).toEqual(['backplane is up', 'backplane reads too slowly: messages are lost', 'backplane is down']);
    expect(await asked).toBe('Error: The backplane is down.');
    broker.thaw();
    await Promise.all([up(quiet), up(busy)]);
    await expect.poll(() => other.request('one', 'back?').catch(String), eventually).toBe('back?');
    one.received.length = 0;
    other.publish('room', 'back');
    await one.receivedAllOf(other);
    expect(one.texts).toEqual(['back']);
  });

  const cases = [
    ['up', 'start'],
    ['no server', 'leave'],
    ['a server that has stopped', 'freeze'],
  ] as const;
  test.each(cases)('B9 close: leaves nothing that keeps the process alive: %s', async (_, first) => {
    const { broker } = await faulty(engine, { start: first !== 'leave' });
    if (first === 'freeze') broker.freeze();
    const code = `const { promise: logged, resolve } = Promise.withResolvers();
      const logger = { debug() {}, info: resolve, warn: resolve, error: resolve };
      ${engine.code?.(broker.port)}
      const link = plane.connect('one', { receive() {}, answer: () => new Promise(() => {}) });
      await link.subscribe('room');
      if (${first !== 'freeze'}) await logged;
      const asked = link.request('one', Buffer.from('x'), 60_000).catch(String);
      await plane.close();
      await plane.close();
      link.publish('room', Buffer.from('x'));
      console.log(plane.state, await asked, await link.request('two', Buffer.from('x'), 60_000).catch(String));`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let logged = '';
    child.stdout.on('data', (chunk) => {
      logged += chunk;
    });
    // After the exit, its output may still be read.
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(logged).toBe('down Error: The backplane is down. Error: The backplane is down.\n');
  });

  test('B9 close: messages published before still arrive', async () => {
    const { plane, up } = await faulty(engine, { start: true });
    const [one, other] = [plane(), plane()];
    const [sender, receiver] = [new TestNode(one, 'one'), new TestNode(other, 'other')];
    await Promise.all([up(one), up(other)]);
    await receiver.join('room');
    for (const text of range(1000)) sender.publish('room', text);
    await one.close();
    await expect.poll(() => receiver.texts.length, eventually).toBe(1000);
  });
});

/** Starts a broker for one test, which may stop or kill it. */
async function faulty(engine: Engine, { start = false, pingMs }: { start?: boolean; pingMs?: number } = {}) {
  const broker = (await engine.broker()) as Broker;
  onTestFinished(async () => {
    broker.thaw();
    await broker.kill();
  });
  if (start) await broker.start();
  return { broker, ...world(engine, broker, { ...(pingMs && { pingMs }) }) };
}
