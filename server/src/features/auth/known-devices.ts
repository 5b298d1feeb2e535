import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../platform/context.ts';
import type { Share } from '../../platform/database/turns.ts';
import type { Keys } from '../../platform/keys.ts';
import { readDeviceCookie, setDeviceCookie } from './cookies.ts';

/**
 * A browser in which a user has signed in keeps a device token in a cookie. The token does not authenticate; together with
 * the password it replaces the second factor if the user has chosen so (second-factor/trusted-devices.ts). Sign-in
 * attempts with it have their own rate limit, so that an attacker who tries the same email cannot lock its owner out.
 * Several users may share a browser, such as the front desk's.
 */
const deviceBytes = 12;
const macBytes = 16;
const headBytes = 8 + deviceBytes;
/** Tokens that one browser keeps. The least recently used is dropped first. */
const maxTokens = 10;

const macOf = (keys: Keys, head: Buffer) => keys.mac('device', head).subarray(0, macBytes);

function readDeviceToken(keys: Keys, token: string): { userId: number; deviceId: string } | null {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length !== headBytes + macBytes) return null;
  const head = bytes.subarray(0, headBytes);
  if (!timingSafeEqual(macOf(keys, head), bytes.subarray(headBytes))) return null;
  return { userId: Number(head.readBigUInt64BE()), deviceId: head.subarray(8).toString('hex') };
}

const deviceTokensOf = (context: Context, request: FastifyRequest): string[] =>
  (readDeviceCookie(context, request) ?? '').split('.').filter(Boolean).slice(0, maxTokens);

/** Returns the device id of this browser for the user; null when the user has not signed in in it before. */
export function knownDevice(context: Context, request: FastifyRequest, userId: number): string | null {
  for (const token of deviceTokensOf(context, request)) {
    const read = readDeviceToken(context.keys, token);
    if (read?.userId === userId) return read.deviceId;
  }
  return null;
}

function lastDevice(context: Context, request: FastifyRequest) {
  for (const token of deviceTokensOf(context, request)) {
    const read = readDeviceToken(context.keys, token);
    if (read) return read;
  }
  return null;
}

/** Returns the device id of this browser for any user who has signed in in it before; null when there is none. */
export const anyDevice = (context: Context, request: FastifyRequest): string | null =>
  lastDevice(context, request)?.deviceId ?? null;

/**
 * Returns the share of database connections and password hashes for a browser in which a user has signed in before, so that a flood of
 * unknown clients does not use them all. It is the user's, who may have many devices. Null for other browsers.
 */
export function deviceShare(context: Context, request: FastifyRequest): Share | null {
  const device = lastDevice(context, request);
  return device && { group: 'known devices', member: String(device.userId) };
}

/** Sets the device token of the user in this browser and returns the device id. Call after a sign-in. */
export function rememberDevice(context: Context, request: FastifyRequest, reply: FastifyReply, userId: number): string {
  const tokens = deviceTokensOf(context, request);
  const userToken =
    tokens.find((token) => readDeviceToken(context.keys, token)?.userId === userId) ??
    createDeviceToken(context.keys, userId);
  setDeviceCookie(
    context,
    reply,
    [userToken, ...tokens.filter((token) => token !== userToken)].slice(0, maxTokens).join('.'),
  );
  return readDeviceToken(context.keys, userToken)?.deviceId ?? '';
}

function createDeviceToken(keys: Keys, userId: number): string {
  const head = Buffer.alloc(headBytes);
  head.writeBigUInt64BE(BigInt(userId));
  randomBytes(deviceBytes).copy(head, 8);
  return Buffer.concat([head, macOf(keys, head)]).toString('base64url');
}
