import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../platform/context.ts';
import type { Share } from '../../platform/database/turns.ts';
import type { Keys } from '../../platform/keys.ts';
import { readDeviceCookie, setDeviceCookie } from './cookies.ts';

/**
 * A device on which a user has signed in keeps a mark of it. The mark signs no one in: attempts with it are counted
 * apart from everybody else's, so that no stranger who tries the same email can keep its owner out. Several people may
 * share a device, such as the front desk's.
 */
const deviceBytes = 12;
const macBytes = 16;
const headBytes = 8 + deviceBytes;
/** Marks that one browser keeps; the one used longest ago goes first. */
const maxMarks = 10;

const macOf = (keys: Keys, head: Buffer) => keys.mac('device', head).subarray(0, macBytes);

function readMark(keys: Keys, mark: string): { userId: number; deviceId: string } | null {
  const bytes = Buffer.from(mark, 'base64url');
  if (bytes.length !== headBytes + macBytes) return null;
  const head = bytes.subarray(0, headBytes);
  if (!timingSafeEqual(macOf(keys, head), bytes.subarray(headBytes))) return null;
  return { userId: Number(head.readBigUInt64BE()), deviceId: head.subarray(8).toString('hex') };
}

const marksOf = (context: Context, request: FastifyRequest): string[] =>
  (readDeviceCookie(context, request) ?? '').split('.').filter(Boolean).slice(0, maxMarks);

/** The id of this browser as a device of the user; null where the user has never signed in on it. */
export function knownDevice(context: Context, request: FastifyRequest, userId: number): string | null {
  for (const mark of marksOf(context, request)) {
    const read = readMark(context.keys, mark);
    if (read?.userId === userId) return read.deviceId;
  }
  return null;
}

/**
 * The share of the database's connections that a browser has on which somebody has signed in before: a flood of strangers
 * does not crowd it out. Null for other browsers.
 */
export function deviceShare(context: Context, request: FastifyRequest): Share | null {
  for (const mark of marksOf(context, request)) {
    const read = readMark(context.keys, mark);
    if (read) return { group: 'known devices', member: read.deviceId };
  }
  return null;
}

/** Marks this browser as a device of the user, after a sign-in. */
export function rememberDevice(context: Context, request: FastifyRequest, reply: FastifyReply, userId: number): void {
  const marks = marksOf(context, request);
  const own =
    marks.find((mark) => readMark(context.keys, mark)?.userId === userId) ?? createDeviceToken(context.keys, userId);
  setDeviceCookie(context, reply, [own, ...marks.filter((mark) => mark !== own)].slice(0, maxMarks).join('.'));
}

function createDeviceToken(keys: Keys, userId: number): string {
  const head = Buffer.alloc(headBytes);
  head.writeBigUInt64BE(BigInt(userId));
  randomBytes(deviceBytes).copy(head, 8);
  return Buffer.concat([head, macOf(keys, head)]).toString('base64url');
}
