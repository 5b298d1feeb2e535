import * as z from 'zod/mini';
import { mediaState, videoWish } from '../media/media-state.ts';
import { qualities } from './quality.ts';

/**
 * Signals between two peers through the hub (type 2). `instance` names the sender's room, new with every load of the page;
 * `connection` its current RTCPeerConnection, so that signals of an older one are recognized and dropped; `to` the
 * receiver's connection, if known; `offer` counts the sender's offers, and an answer repeats it.
 */
const signal = z.object({
  instance: z.string().check(z.maxLength(64)),
  connection: z.string().check(z.maxLength(64)),
  to: z.optional(z.string().check(z.maxLength(64))),
  offer: z.optional(z.int()),
  description: z.optional(z.object({ type: z.enum(['offer', 'answer']), sdp: z.string() })),
  candidate: z.optional(
    z.object({
      candidate: z.string(),
      sdpMid: z.optional(z.nullable(z.string())),
      sdpMLineIndex: z.optional(z.nullable(z.int())),
      usernameFragment: z.optional(z.nullable(z.string())),
    }),
  ),
});
export type Signal = z.infer<typeof signal>;

/** 'I can be called': the payload of type 4, and of type 2 from a device without a camera. */
const hello = z.object({ hello: z.string().check(z.maxLength(64)) });

/**
 * Messages on the data channel between peers. `ping` checks whether the other page responds when the hub reports that it
 * has left; `bye` is sent on leaving on purpose, which distinguishes it from a reload; `quality` says how the other side's media arrive.
 */
const control = z.union([
  z.object({ mediaState }),
  z.object({ ping: z.literal(true) }),
  z.object({ pong: z.literal(true) }),
  z.object({ bye: z.literal(true) }),
  z.object({ quality: z.enum(qualities) }),
]);
export type Control = z.infer<typeof control>;

const reader =
  <T>(schema: z.ZodMiniType<T>) =>
  (value: unknown): T | undefined => {
    const parsed = schema.safeParse(value);
    return parsed.success ? parsed.data : undefined;
  };

export const readSignal = reader(signal);
export const readHello = reader(hello);
export const readVideoWish = reader(videoWish);

/** Parses a message of the data channel; undefined when it is not one of these. */
export function readControl(text: unknown): Control | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    return reader(control)(JSON.parse(text));
  } catch {
    return undefined;
  }
}
