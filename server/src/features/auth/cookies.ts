import type { SignInKind } from '@roomside/contract/auth/calls.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../platform/context.ts';

/** `__Host-` binds the cookie to its host. Browsers accept the prefix over https only, so loopback http goes without. */
const nameOf = (context: Context, cookie: SignInKind | 'device' | 'external' | 'ticket') =>
  isSecure(context) ? `__Host-${cookie}` : `roomside-${cookie}`;
const isSecure = (context: Context) => context.publicUrl.startsWith('https:');

const attributes = (context: Context) =>
  ({ path: '/', httpOnly: true, sameSite: 'strict', secure: isSecure(context) }) as const;

const days = 24 * 3600;

export function readCookie(context: Context, request: FastifyRequest, kind: SignInKind): string | undefined {
  return request.cookies[nameOf(context, kind)];
}

/** With `remember` the cookie lasts 30 days, otherwise until the browser closes. */
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

/** Kept at sign-out. 400 days is the longest that browsers keep a cookie. */
export function setDeviceCookie(context: Context, reply: FastifyReply, value: string): void {
  reply.setCookie(nameOf(context, 'device'), value, { ...attributes(context), maxAge: 400 * days });
}

/** A secret of this browser, to which the answer of an external provider is bound. */
export const readExternalCookie = (context: Context, request: FastifyRequest): string | undefined =>
  request.cookies[nameOf(context, 'external')];

/** SameSite=Lax: the provider's page opens the address that reads it. */
export function setExternalCookie(context: Context, reply: FastifyReply, secret: string, seconds: number): void {
  reply.setCookie(nameOf(context, 'external'), secret, { ...attributes(context), sameSite: 'lax', maxAge: seconds });
}

/** The ticket of an external sign-in, until the page takes it. */
export function setTicketCookie(context: Context, reply: FastifyReply, ticket: string): void {
  reply.setCookie(nameOf(context, 'ticket'), ticket, { ...attributes(context), maxAge: 300 });
}

/** Returns the ticket and deletes its cookie. */
export function takeTicketCookie(context: Context, request: FastifyRequest, reply: FastifyReply): string | undefined {
  reply.clearCookie(nameOf(context, 'ticket'), attributes(context));
  return request.cookies[nameOf(context, 'ticket')];
}
