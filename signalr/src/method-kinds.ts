import type { Awaitable } from './types.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- What the protocol brings is unknown; the types of `hub` hold at the border.
export type AnyRun = (...args: any[]) => unknown;

/** A method that answers with a stream. Its `ctx.signal` is aborted when the client cancels or goes. */
export interface Streaming<Run extends AnyRun = AnyRun> {
  readonly kind: 'stream';
  readonly run: Run;
  readonly uploads: number;
}

/** A method whose last parameters are streams that the client sends. */
export interface Uploading<Run extends AnyRun = AnyRun> {
  readonly kind: 'upload';
  readonly run: Run;
  readonly uploads: number;
}

/**
 * Marks a method that answers with a stream: `Count: stream(async function* (ctx, to) { … })`. `uploads` says how many of its last
 * parameters are streams from the client.
 */
export function stream<Run extends (...args: never[]) => Awaitable<AsyncIterable<unknown>>>(
  run: Run,
  { uploads = 0 }: { readonly uploads?: number } = {},
): Streaming<Run> {
  return { kind: 'stream', run, uploads };
}

/**
 * Marks a method whose last parameters are streams from the client, `uploads` of them (default 1). They throw when the client reports an error
 * (as `HubError`) or goes away; what the method leaves unread is dropped.
 */
export function upload<Run extends (...args: never[]) => unknown>(
  run: Run,
  { uploads = 1 }: { readonly uploads?: number } = {},
): Uploading<Run> {
  return { kind: 'upload', run, uploads };
}
