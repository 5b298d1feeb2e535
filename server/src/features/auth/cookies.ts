import type { SignInKind } from '@roomside/contract/auth/calls.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../platform/context.ts';

/** `__Host-` binds the cookie to this very host; browsers take it on https only, so not on plain http at loopback. */
const nameOf = (context: Context, kind: SignInKind) => (isSecure(context) ? `__Host-${kind}` : `roomside-${kind}`);
const isSecure = (context: Context) => context.publicUrl.startsWith('https:');

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
  reply.setCookie(nameOf(context, kind), token, {
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure: isSecure(context),
    ...(remember && { maxAge: 30 * 24 * 3600 }),
  });
}

export function clearCookie(context: Context, reply: FastifyReply, kind: SignInKind): void {
  reply.clearCookie(nameOf(context, kind), {
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure: isSecure(context),
  });
}
