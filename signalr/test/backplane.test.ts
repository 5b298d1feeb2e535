import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Backplane } from '../src/types.ts';
import { type Broker, brokered, type Engine, engines, Station, soon, world } from './support-backplane.ts';

const bytes = (text: string) => Buffer.from(text);
const range = (count: number) => Array.from({ length: count }, (_, index) => String(index));

describe.each(engines)('$name', (engine) => {
  const broker = brokered(engine);
  const here = () => world(engine, broker());

  test('B1 a message reaches the others that subscribe, and never its publisher', async () => {
    const { two, plane, up } = here();
    const [one, other] = await two();
    const elsewhere = plane();
    const third = new Station(elsewhere, 'third');
    await up(elsewhere);
    await third.join('another room');
    await Promise.all([one, other].map((station) => station.join('room')));
    one.say('room', 'from one');
    other.say('room', 'from other');
    await other.caughtUp(one);
    await one.caughtUp(other);
    expect(one.texts).toEqual(['from other']);
    expect(other.texts).toEqual(['from one']);
    expect(other.heard[0]?.topic).toBe('room');
    await third.caughtUp(one);
    expect(third.heard).toEqual([]);
  });

  test('B1 messages arrive in the order of their publication: 5,000', async () => {
    const [one, other] = await here().two();
    await other.join('room');
    for (const text of range(5000)) one.say('room', text);
    await other.caughtUp(one);
    expect(other.texts).toEqual(range(5000));
  });

  test('B1 a message arrives as it was, of any size to 1 MiB and any bytes', async () => {
    const [one, other] = await here().two();
    await other.join('room');
    const every = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const sent = [every, new Uint8Array(0), new Uint8Array(1000), bytes('\r\n\r\n'), randomBytes(1024 * 1024)];
    for (const data of sent) void one.link.publish('room', data);
    // While the receiver waits for the server's replies to commands of its own, too.
    const hear = other.receive.bind(other);
    other.receive = (topic, data) => {
      hear(topic, data);
      other.say('elsewhere', 'x');
    };
    const more = Array.from({ length: 5000 }, () => every);
    for (const data of more) void one.link.publish('room', data);
    await other.caughtUp(one);
    const heard = other.heard.map(({ data }) => Buffer.from(data));
    expect(heard.length).toBe(sent.length + more.length);
    expect([...sent, ...more].every((data, index) => heard[index]?.equals(data))).toBe(true);
  });

  test('B2 a topic is any text, and no two are confused', async () => {
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
    for (const topic of topics) one.say(topic, topic);
    await other.caughtUp(one);
    expect(other.heard.map(({ topic }) => topic)).toEqual(topics);
    expect(other.texts).toEqual(topics);
  });

  test('B2 thousands of topics; prefixes keep applications apart', async () => {
    const { two, plane, up } = here();
    const [one, other] = await two();
    const foreign = plane({ prefix: 'foreign' });
    await up(foreign);
    const stranger = new Station(foreign, 'other');
    const topics = range(3000);
    await Promise.all(topics.map((topic) => other.join(topic)));
    await stranger.join('7');
    for (const topic of topics) one.say(topic, topic);
    await other.caughtUp(one);
    expect(other.texts).toEqual(topics);
    expect(stranger.heard).toEqual([]);
  });

  test('B3 nothing arrives after unsubscribing, and other members of the process are not touched', async () => {
    const { two, plane, up } = here();
    const [one, other] = await two();
    const both = plane();
    const [left, right] = [new Station(both, 'left'), new Station(both, 'right')];
    await up(both);
    for (const station of [other, left, right]) await station.join('room');
    await left.join('room');
    one.say('room', '1');
    for (const station of [other, left, right]) await station.caughtUp(one);
    await other.leave('room');
    await left.leave('room');
    await left.leave('never');
    one.say('room', '2');
    right.say('room', '3');
    for (const station of [other, left, right]) await station.caughtUp(one);
    expect(other.texts).toEqual(['1']);
    expect(left.texts).toEqual(['1']);
    expect(right.texts).toEqual(['1', '2']);
  });

  test('B3 however quickly it is subscribed and unsubscribed, the last wish holds', async () => {
    const [one, other] = await here().two();
    for (let round = 0; round < 20; round += 1) {
      const wishes = Array.from({ length: round }, (_, step) => (step + round) % 2 === 1);
      const work = [];
      for (const [step, wish] of wishes.entries()) {
        work.push(wish ? other.join('room') : other.leave('room'));
        if (step % 3 === round % 3) await Promise.race([work.at(-1), new Promise(setImmediate)]);
      }
      await Promise.all(work);
      const before = other.heard.length;
      one.say('room', 'there?');
      await other.caughtUp(one);
      expect(other.heard.length - before).toBe((wishes.at(-1) ?? false) ? 1 : 0);
      await other.leave('room');
    }
  });

  test('B3 a disconnected member hears and answers nothing', async () => {
    const [one, other] = await here().two();
    await other.join('room');
    await other.link.disconnect();
    one.say('room', 'anyone?');
    await expect(one.ask('other', 'there?')).rejects.toThrow('No such process.');
    expect(other.heard).toEqual([]);
  });

  test('B4 a process asks another and gets its answer; 200 at once are not confused', async () => {
    const [one, other] = await here().two();
    other.answer = async (data) => {
      await new Promise(setImmediate);
      return Buffer.concat([bytes('re: '), data]);
    };
    expect(await one.ask('other', 'hello')).toBe('re: hello');
    expect(await other.ask('one', '')).toBe('');
    const answers = await Promise.all(range(200).map((text) => one.ask('other', text)));
    expect(answers).toEqual(range(200).map((text) => `re: ${text}`));
    const large = randomBytes(1000 * 1000);
    other.answer = (data) => data;
    expect(Buffer.from(await one.link.request('other', large, 5000)).equals(large)).toBe(true);
  });

  test('B5 a request rejects: a refusal, with its reason', async () => {
    const [one, other] = await here().two();
    other.answer = async () => Promise.reject(new Error('Not here: Zoë'));
    await expect(one.ask('other', 'x')).rejects.toThrow('Not here: Zoë');
    other.answer = () => {
      throw new Error('Broken');
    };
    await expect(one.ask('other', 'x')).rejects.toThrow('Broken');
  });

  test('B5 a request rejects: nobody is there, at once', async () => {
    const [one] = await here().two();
    await expect(one.ask('nobody', 'x', 60_000)).rejects.toThrow('No such process.');
  });

  test('B5 a request rejects: no answer in time, and a late one is ignored', async () => {
    const [one, other] = await here().two();
    const { promise, resolve } = Promise.withResolvers<Uint8Array>();
    other.answer = () => promise;
    await expect(one.ask('other', 'x', 50)).rejects.toThrow('No answer in time.');
    resolve(bytes('late'));
    other.answer = (data) => data;
    expect(await one.ask('other', 'next')).toBe('next');
  });

  test('B6 several members of one process share a backplane', async () => {
    const { plane, up } = here();
    const shared = plane();
    const [one, other] = [new Station(shared, 'one'), new Station(shared, 'other')];
    await up(shared);
    await one.join('room');
    await other.join('room');
    one.say('room', 'hello');
    await other.caughtUp(one);
    expect(one.heard).toEqual([]);
    expect(other.texts).toEqual(['hello']);
    expect(await one.ask('other', 'there?')).toBe('there?');
    other.answer = () => new Promise(() => {});
    await expect(one.ask('other', 'x', 20)).rejects.toThrow('No answer in time.');
  });
});

/** What only a backplane with a server can do. */
describe.each(engines.filter(({ name }) => name !== 'memory'))('$name, its server', (engine) => {
  beforeEach(({ skip }) => {
    if (engine.absent) skip(engine.absent);
  });

  test('B6 it is made at once and is down until everything wanted is subscribed; a member that throws harms none', async () => {
    const { broker, plane, up } = await faulty(engine);
    const errors: string[] = [];
    const log = (_: object, message: string) => void errors.push(message);
    const late = plane({ logger: { debug() {}, info() {}, warn: log, error: log } });
    const station = new Station(late, 'late');
    expect(station.link.isSingleNode).toBe(false);
    await station.join('room');
    await expect(station.ask('nobody', 'x', 60_000)).rejects.toThrow('The backplane is down.');
    station.say('room', 'lost');
    expect(late.state).toBe('down');
    await expect.poll(() => errors, soon).toEqual(['backplane is down']);
    await broker.start();
    const another = plane();
    const other = new Station(another, 'other');
    await up(another);
    await up(late);
    expect(await other.ask('late', 'there?')).toBe('there?');
    station.receive = () => {
      throw new Error('a fault of the application');
    };
    other.say('room', 'first');
    await expect.poll(() => errors.at(-1), soon).toBe('backplane message failed');
    delete (station as Partial<Station>).receive;
    other.say('room', 'second');
    await expect.poll(() => station.texts, soon).toEqual(['second']);
  });

  test('B6 up means that everything wanted is subscribed', async () => {
    const { plane, up } = await faulty(engine, { start: true });
    const first = plane();
    const one = new Station(first, 'one');
    await up(first);
    const second = plane();
    const other = new Station(second, 'other');
    const topics = range(5000);
    await Promise.all(topics.map((topic) => other.join(topic)));
    while (second.state === 'down') await new Promise(setImmediate);
    for (const topic of topics.toReversed()) one.say(topic, topic);
    await other.caughtUp(one);
    expect(other.texts).toEqual(topics.toReversed());
  });

  test('B7 the server dies and comes back: down, then up with all subscriptions, and nothing of the time between', async () => {
    const { broker, plane, up, down } = await faulty(engine, { start: true });
    const planes: Backplane[] = [plane(), plane()];
    const [one, other] = planes.map((made, index) => new Station(made, ['one', 'other'][index] as string));
    await Promise.all(planes.map(up));
    const topics = range(500);
    await Promise.all(topics.map((topic) => other!.join(topic)));
    await other!.join('given up');
    other!.answer = () => new Promise(() => {});
    const asked = one!.ask('other', 'x', 60_000).catch(String);
    await broker.kill();
    await Promise.all(planes.map(down));
    expect(await asked).toBe('Error: The backplane is down.');
    await expect(one!.ask('other', 'x', 60_000)).rejects.toThrow('The backplane is down.');
    for (const topic of topics) one!.say(topic, 'lost');
    await other!.leave('given up');
    await other!.join('new');
    await broker.start();
    await Promise.all(planes.map(up));
    for (const topic of ['given up', ...topics, 'new']) one!.say(topic, topic);
    await other!.caughtUp(one!);
    expect(other!.texts).toEqual([...topics, 'new']);
    other!.answer = (data) => data;
    expect(await one!.ask('other', 'still there?')).toBe('still there?');
  });

  test('B8 a server that has stopped is noticed, also when much is under way, and taken up when it goes on', async () => {
    const { broker, plane, up, down } = await faulty(engine, { start: true, pingMs: 50 });
    const told: string[] = [];
    const log = (_: object, message: string) => void told.push(message);
    const [quiet, busy] = [plane(), plane({ logger: { debug: log, info: log, warn: log, error: log } })];
    const [one, other] = [new Station(quiet, 'one'), new Station(busy, 'other')];
    await Promise.all([up(quiet), up(busy)]);
    await one.join('room');
    broker.freeze();
    const asked = other.ask('one', 'x', 60_000).catch(String);
    const much = randomBytes(1024 * 1024);
    for (let turn = 0; turn < 100; turn += 1) void other.link.publish('room', much);
    const joined = one.join('another room');
    await Promise.all([down(quiet), down(busy)]);
    await joined;
    expect(told).toEqual(['backplane is up', 'backplane reads too slowly: messages are lost', 'backplane is down']);
    expect(await asked).toBe('Error: The backplane is down.');
    broker.thaw();
    await Promise.all([up(quiet), up(busy)]);
    await expect.poll(() => other.ask('one', 'back?').catch(String), soon).toBe('back?');
    one.heard.length = 0;
    other.say('room', 'back');
    await one.caughtUp(other);
    expect(one.texts).toEqual(['back']);
  });

  const cases = [
    ['up', 'start'],
    ['no server', 'leave'],
    ['a server that has stopped', 'freeze'],
  ] as const;
  test.each(cases)('B9 closing leaves nothing that keeps a process alive: %s', async (_, first) => {
    const { broker } = await faulty(engine, { start: first !== 'leave' });
    if (first === 'freeze') broker.freeze();
    const code = `const { promise: told, resolve } = Promise.withResolvers();
      const logger = { debug() {}, info: resolve, warn: resolve, error: resolve };
      ${engine.code?.(broker.port)}
      const link = plane.connect('one', { receive() {}, answer: () => new Promise(() => {}) });
      await link.subscribe('room');
      if (${first !== 'freeze'}) await told;
      const asked = link.request('one', Buffer.from('x'), 60_000).catch(String);
      await plane.close();
      await plane.close();
      link.publish('room', Buffer.from('x'));
      console.log(plane.state, await asked, await link.request('two', Buffer.from('x'), 60_000).catch(String));`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let told = '';
    child.stdout.on('data', (chunk) => {
      told += chunk;
    });
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(told).toBe('down Error: The backplane is down. Error: The backplane is down.\n');
  });

  test('B9 what was published before closing still arrives', async () => {
    const { plane, up } = await faulty(engine, { start: true });
    const [one, other] = [plane(), plane()];
    const [sender, receiver] = [new Station(one, 'one'), new Station(other, 'other')];
    await Promise.all([up(one), up(other)]);
    await receiver.join('room');
    for (const text of range(1000)) sender.say('room', text);
    await one.close();
    await expect.poll(() => receiver.texts.length, soon).toBe(1000);
  });
});

/** A server of the test's own that may be ill-treated. */
async function faulty(engine: Engine, { start = false, pingMs }: { start?: boolean; pingMs?: number } = {}) {
  const broker = (await engine.broker()) as Broker;
  onTestFinished(async () => {
    broker.thaw();
    await broker.kill();
  });
  if (start) await broker.start();
  return { broker, ...world(engine, broker, { ...(pingMs && { pingMs }) }) };
}
