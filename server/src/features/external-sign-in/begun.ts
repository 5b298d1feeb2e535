import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { openBytes, sealBytes, UnreadableValue } from '../../platform/envelope.ts';
import type { Expected } from './openid.ts';

/** A person has this long at the provider's pages, ms. */
export const lifetimeMs = 10 * 60_000;

type Keys = Context['keys'];

interface Begun {
  readonly providerId: number;
  readonly expected: Expected;
}

/** What the browser has: the state in the address, and the secret of its cookie. */
interface Held {
  readonly state: string;
  readonly browser: string;
}

const hashOf = (keys: Keys, kind: 'state' | 'browser', value: string) => keys.mac('external', `${kind}:${value}`);
const placeOf = (state: Buffer) => `external_sign_ins.sealed ${state.toString('hex')}`;

/** Stores a sign-in that begins at a provider, so that any process can finish it. In an unauthenticated transaction. */
export async function storeBegun(
  tx: Tx,
  keys: Keys,
  { state, browser, providerId, expected, now }: Held & Begun & { readonly now: string },
): Promise<void> {
  const state_hash = hashOf(keys, 'state', state);
  await tx
    .insertInto('external_sign_ins')
    .values({
      state_hash,
      browser_hash: hashOf(keys, 'browser', browser),
      provider_id: providerId,
      sealed: sealBytes(keys.externalSignIns, Buffer.from(JSON.stringify(expected)), placeOf(state_hash)),
      expires_at: new Date(Date.parse(now) + lifetimeMs).toISOString(),
    })
    .execute();
}

/**
 * Uses up a sign-in that this browser has begun, in an unauthenticated transaction. Returns null when it is unknown, used, expired or
 * another browser's.
 */
export async function takeBegun(
  tx: Tx,
  keys: Keys,
  { state, browser, now }: Held & { readonly now: string },
): Promise<Begun | null> {
  const state_hash = hashOf(keys, 'state', state);
  const row = await tx
    .deleteFrom('external_sign_ins')
    .where('state_hash', '=', state_hash)
    .where('browser_hash', '=', hashOf(keys, 'browser', browser))
    .where('expires_at', '>', now)
    .returning(['provider_id', 'sealed'])
    .executeTakeFirst();
  if (!row) return null;
  try {
    const opened = openBytes(keys.externalSignIns, row.sealed, placeOf(state_hash));
    return { providerId: row.provider_id, expected: JSON.parse(opened.toString('utf8')) as Expected };
  } catch (error) {
    // The sign-in key was replaced.
    if (error instanceof UnreadableValue) return null;
    throw error;
  }
}
