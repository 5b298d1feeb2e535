import { assert } from 'vitest';
import { type DisconnectReason, hub, type StandardSchema, stream, upload } from '../src/index.ts';
import { gate, Raw, serve, type Wire } from './support.ts';

/** A hub with streams of every kind, controlled by the test, and hand-made messages to it. */

interface Server {
  Echo(value: unknown): unknown;
  Hang(): void;
  Endless(): AsyncIterable<number>;
  Slow(): AsyncIterable<number>;
  Checked(value: string): AsyncIterable<number>;
  Sum(values: AsyncIterable<number>): number;
  Two(one: AsyncIterable<number>, other: AsyncIterable<number>): number;
  Ignore(values: AsyncIterable<number>): string;
  Steps(values: AsyncIterable<number>): number;
  Both(values: AsyncIterable<number>): AsyncIterable<number>;
  Ask(question: string): string;
}
interface Client {
  Answer(question: string): string;
}

export async function start({ streams = 4, authorize }: { streams?: number; authorize?: () => Promise<boolean> } = {}) {
  const notes: string[] = [];
  const reasons: DisconnectReason[] = [];
  const yielded = { count: 0 };
  const hanging = gate();
  const slow = gate();
  const checking = gate();
  const steps = Array.from({ length: 40 }, () => gate());
  const late: StandardSchema<string> = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value) => checking.promise.then(() => ({ value: value as string })),
    },
  };
  const definition = hub<Server, Client>({
    path: '/hub',
    limits: { streams },
    ...(authorize && { authorize }),
    input: { Checked: [late] },
    methods: {
      Echo: (_ctx, value) => value,
      Hang: () => hanging.promise,
      Endless: stream(async function* (ctx) {
        notes.push('begins');
        ctx.signal.addEventListener('abort', () => void notes.push('aborted'));
        try {
          for (; ; yielded.count++) yield yielded.count;
        } finally {
          notes.push('finally');
        }
      }),
      Slow: stream(async function* () {
        await slow.promise;
        yield 1;
      }),
      Checked: stream(async function* () {
        notes.push('checked');
        yield 1;
      }),
      Sum: upload(async (_ctx, values) => {
        let sum = 0;
        try {
          for await (const value of values) sum += value;
        } catch (error) {
          notes.push((error as Error).message);
        } finally {
          notes.push('finally');
        }
        return sum;
      }),
      Two: upload(
        async (_ctx, one, other) => {
          let sum = 0;
          for await (const value of one) sum += value;
          for await (const value of other) sum += value * 100;
          return sum;
        },
        { uploads: 2 },
      ),
      Ignore: upload(async () => 'unread'),
      Steps: upload(async (_ctx, values) => {
        let count = 0;
        await steps[0]?.promise;
        for await (const _value of values) await steps[++count]?.promise;
        return count;
      }),
      Both: stream(
        async function* (ctx, values) {
          ctx.signal.addEventListener('abort', () => void notes.push('aborted'));
          try {
            for await (const value of values) yield value;
          } catch (error) {
            notes.push((error as Error).message);
          } finally {
            notes.push('finally');
          }
        },
        { uploads: 1 },
      ),
      Ask: (ctx, question) => ctx.clients.caller.invoke('Answer', [question]),
    },
    onDisconnected: (_ctx, reason) => void reasons.push(reason),
  });
  const served = await serve(definition);
  const raw = await Raw.connect(`${served.url}/hub`);
  const control = served.hubs.of(definition);
  const id = () => control.connections()[0]?.connectionId ?? '';
  return { ...served, control, raw, id, notes, reasons, yielded, hanging, slow, checking, steps };
}

export const begin = (target: string, id: string, args: unknown[] = [], streamIds?: string[]): Wire => ({
  type: 4,
  invocationId: id,
  target,
  arguments: args,
  ...(streamIds && { streamIds }),
});
export const call = (target: string, id: string, args: unknown[], streamIds?: string[]): Wire => ({
  ...begin(target, id, args, streamIds),
  type: 1,
});
export const item = (id: string, value: unknown): Wire => ({ type: 2, invocationId: id, item: value });
export const complete = (id: string, error?: string): Wire => ({ type: 3, invocationId: id, ...(error && { error }) });
export const cancel = (id: string): Wire => ({ type: 5, invocationId: id });
export const alive = async (raw: Raw) => {
  raw.send(call('Echo', 'alive', ['yes']));
  assert.deepEqual(await raw.next(), { type: 3, invocationId: 'alive', result: 'yes' });
};
