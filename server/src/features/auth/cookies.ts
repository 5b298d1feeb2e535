import type { SignInKind } from '@roomside/contract/auth/calls.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../platform/context.ts';

/** `__Host-` binds the cookie to this very host; browsers take it on https only, so not on plain http at loopback. */
const nameOf = (context: Context, cookie: SignInKind | 'device') =>
  isSecure(context) ? `__Host-${cookie}` : `roomside-${cookie}`;
const isSecure = (context: Context) => context.publicUrl.startsWith('https:');

const attributes = (context: Context) =>
  ({ path: '/', httpOnly: true, sameSite: 'strict', secure: isSecure(context) }) as const;

const days = 24 * 3600;

export function readCookie(context: Context, request: FastifyRequest, kind: SignInKind): string | undefined {
  return request.cookies[nameOf(context, kind)];
}

/** `remember` keeps it for 30 days; otherwise it ends with the browser. */
export function setCookie(
  context: Context,
  reply: FastifyReply,
  kind: SignInKind,
  token: string,
  remember: boolean,
): void {
  reply.setCookie(nameOf(context, kind), token, { ...attributes(context), ...(remember && { maxAge: 30 * days }) });
}

export function clearCookie(context: Context, reply: FastifyReply, kind: SignInKind): void {
  reply.clearCookie(nameOf(context, kind), attributes(context));
}

export function readDeviceCookie(context: Context, request: FastifyRequest): string | undefined {
  return request.cookies[nameOf(context, 'device')];
}

/** Stays when people sign out, for as long as browsers keep a cookie. */
export function setDeviceCookie(context: Context, reply: FastifyReply, marks: string): void {
  reply.setCookie(nameOf(context, 'device'), marks, { ...attributes(context), maxAge: 400 * days });
}
