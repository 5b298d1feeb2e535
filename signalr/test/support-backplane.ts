import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, beforeEach, onTestFinished, vi } from 'vitest';
import { memory } from '../src/backplane/memory.ts';
import { nats } from '../src/backplane/nats.ts';
import { redis } from '../src/backplane/redis.ts';
import type { Backplane, BackplaneLink, BackplaneMember, Logger } from '../src/types.ts';
import { freePort } from './free-port.ts';

/** `expect.poll` options for the effects of other processes. */
export const eventually = { interval: 2, timeout: 30_000 };

export interface PlaneOptions {
  readonly prefix: string;
  readonly pingMs?: number;
  readonly logger?: Logger;
}

/** A message broker (Redis, NATS) on its own port. */
export class Broker {
  readonly port: number;
  readonly #command: readonly [string, ...string[]];
  readonly #ready: RegExp;
  #child: ChildProcess | undefined;

  constructor(port: number, command: readonly [string, ...string[]], ready: RegExp) {
    this.port = port;
    this.#command = command;
    this.#ready = ready;
  }

  async start(): Promise<void> {
    const [binary, ...args] = this.#command;
    const child = spawn(binary, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on('line', (line) => {
        if (this.#ready.test(line)) resolve();
      });
    }
    child.once('exit', () => reject(new Error(`${binary} ended before it was ready`)));
    await promise;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }
}

export interface Engine {
  readonly name: string;
  /** Why it cannot be tested on this machine. */
  readonly absent: string | false;
  /** Undefined for the engine without a broker. */
  broker(): Promise<Broker | undefined>;
  /** Creates a backplane as a separate process would. */
  plane(broker: Broker | undefined, options: PlaneOptions): Backplane;
  /** Code for `node --eval` that creates a backplane `plane` with a `logger`. */
  readonly code?: (port: number) => string;
}

const source = (file: string) => JSON.stringify(new URL(`../src/backplane/${file}`, import.meta.url).href);

const redisServer = found('REDIS_SERVER', 'redis-server', '/usr/bin/redis-server');
const natsServer = found('NATS_SERVER', 'nats-server', '/usr/sbin/nats-server');

const shared = new Map<string, Backplane>();

export const engines: readonly Engine[] = [
  {
    name: 'memory',
    absent: false,
    broker: async () => undefined,
    plane: (_, { prefix }) => {
      const plane = shared.get(prefix) ?? memory();
      shared.set(prefix, plane);
      return plane;
    },
  },
  {
    name: 'redis',
    absent: redisServer ? false : 'no redis-server to test with',
    broker: async () => {
      const port = await freePort();
      const options = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', '/tmp'];
      return new Broker(port, [redisServer ?? '', ...options], /Ready to accept connections/);
    },
    plane: (broker, options) => redis({ url: `redis://127.0.0.1:${broker?.port}`, ...options }),
    code: (port) => `const { redis } = await import(${source('redis.ts')});
      const plane = redis({ url: 'redis://127.0.0.1:${port}', logger });`,
  },
  {
    name: 'nats',
    absent: natsServer ? false : 'no nats-server to test with',
    broker: async () => {
      const port = await freePort();
      return new Broker(port, [natsServer ?? '', '-a', '127.0.0.1', '-p', `${port}`], /Server is ready/);
    },
    plane: (broker, options) => nats({ servers: `127.0.0.1:${broker?.port}`, ...options }),
    code: (port) => `const { nats } = await import(${source('nats.ts')});
      const plane = nats({ servers: '127.0.0.1:${port}', logger });`,
  },
];

function found(variable: string, ...usual: string[]): string | undefined {
  const named = process.env[variable];
  return (named ? [named] : usual).find((binary) => !spawnSync(binary, ['--version']).error);
}

/** One node: records its messages and responds to requests. */
export class TestNode implements BackplaneMember {
  readonly link: BackplaneLink;
  readonly received: { readonly topic: string; readonly data: Uint8Array }[] = [];
  answer: (data: Uint8Array) => Promise<Uint8Array> | Uint8Array = (data) => data;

  constructor(plane: Backplane, instance: string) {
    this.link = plane.connect(instance, this);
  }

  receive(topic: string, data: Uint8Array): void {
    this.received.push({ topic, data });
  }

  get texts(): string[] {
    return this.received.map(({ data }) => Buffer.from(data).toString());
  }

  publish(topic: string, text: string): void {
    void this.link.publish(topic, Buffer.from(text));
  }

  async join(topic: string): Promise<void> {
    await this.link.subscribe(topic);
  }

  async leave(topic: string): Promise<void> {
    await this.link.unsubscribe(topic);
  }

  /** Resolves when this node has received everything that the other published before. */
  async receivedAllOf(other: TestNode): Promise<void> {
    const topic = `marker ${++markers}`;
    await this.join(topic);
    other.publish(topic, topic);
    await vi.waitUntil(() => this.received.some((message) => message.topic === topic), eventually);
    await this.leave(topic);
    this.received.splice(
      this.received.findIndex((message) => message.topic === topic),
      1,
    );
  }

  async request(instance: string, text: string, timeoutMs = 5000): Promise<string> {
    return Buffer.from(await this.link.request(instance, Buffer.from(text), timeoutMs)).toString();
  }
}

let markers = 0;
let worlds = 0;

/** Creates backplanes with a separate prefix and closes them when the test ends. */
export function world(engine: Engine, broker: Broker | undefined, options: Omit<PlaneOptions, 'prefix'> = {}) {
  const prefix = `test-${++worlds}`;
  const plane = (others: Partial<PlaneOptions> = {}): Backplane => {
    const made = engine.plane(broker, { prefix, ...options, ...others });
    onTestFinished(() => made.close());
    return made;
  };
  const up = (made: Backplane) => vi.waitUntil(() => made.state === 'up', eventually);
  const down = (made: Backplane) => vi.waitUntil(() => made.state === 'down', eventually);
  const two = async (): Promise<[TestNode, TestNode]> => {
    const planes = [plane(), plane()] as const;
    const nodes: [TestNode, TestNode] = [new TestNode(planes[0], 'one'), new TestNode(planes[1], 'other')];
    await Promise.all(planes.map(up));
    return nodes;
  };
  return { plane, up, down, two };
}

/** For a group of tests: starts the engine's broker if it has one, and skips the tests with a reason when it is not installed. */
export function brokered(engine: Engine): () => Broker | undefined {
  let broker: Broker | undefined;
  beforeAll(async () => {
    if (engine.absent) return;
    broker = await engine.broker();
    await broker?.start();
  });
  afterAll(() => broker?.kill());
  beforeEach(({ skip }) => {
    if (engine.absent) skip(engine.absent);
  });
  return () => broker;
}
