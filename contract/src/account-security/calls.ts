import * as z from 'zod/mini';
import { call } from '../call.ts';
import { id } from '../shape.ts';

/** Users of a company and of the installation; patients have no account. */
const users = ['A', 'D', 'U', 'Super'] as const;

/** A device that is signed in. `browser`, `system` and `network` are '' when unknown. Times are ISO. */
const device = z.object({
  signInId: z.int(),
  /** A product's name, e.g. 'Chrome'. */
  browser: z.string(),
  /** A product's name, e.g. 'Windows'. */
  system: z.string(),
  /** The first half of the network address, e.g. '203.0.x.x'. */
  network: z.string(),
  signedInAt: z.string(),
  lastUsedAt: z.string(),
  isThis: z.boolean(),
});
export type SignedInDevice = z.infer<typeof device>;

export const listSignIns = call({
  name: 'listSignIns',
  summary: 'The devices on which the caller is signed in: this one first, then by last use.',
  method: 'GET',
  path: '/api/account/sign-ins',
  who: users,
  result: z.object({ data: z.array(device) }),
});

/** Takes effect within a second, on requests and on connections. */
export const endOwnSignIn = call({
  name: 'endOwnSignIn',
  summary: 'Signs the caller out on one device.',
  method: 'DELETE',
  path: '/api/account/sign-ins/:signInId',
  who: users,
  params: z.object({ signInId: id }),
});
