import type { Awaitable } from './types.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- Arguments are unknown at run time; the types of `hub()` check the application's methods.
export type AnyRun = (...args: any[]) => unknown;

/** A method that returns a stream. Its `ctx.signal` is aborted when the client cancels the stream or disconnects. */
export interface Streaming<Run extends AnyRun = AnyRun> {
  readonly kind: 'stream';
  readonly run: Run;
  readonly uploads: number;
}

/** A method whose last parameters are streams from the client. */
export interface Uploading<Run extends AnyRun = AnyRun> {
  readonly kind: 'upload';
  readonly run: Run;
  readonly uploads: number;
}

/**
 * Marks a method that returns a stream: `Count: stream(async function* (ctx, to) { … })`. `uploads` is the number of its last
 * parameters that are streams from the client.
 */
export function stream<Run extends (...args: never[]) => Awaitable<AsyncIterable<unknown>>>(
  run: Run,
  { uploads = 0 }: { readonly uploads?: number } = {},
): Streaming<Run> {
  return { kind: 'stream', run, uploads };
}

/**
 * Marks a method whose last parameters are streams from the client, `uploads` of them (default 1). They throw a `HubError` when the
 * client reports an error, and an error when it disconnects. Items that the method does not read are dropped.
 */
export function upload<Run extends (...args: never[]) => unknown>(
  run: Run,
  { uploads = 1 }: { readonly uploads?: number } = {},
): Uploading<Run> {
  return { kind: 'upload', run, uploads };
}
