import type { PasskeyAssertion, PasskeyRegistration } from '@roomside/contract/auth/passkeys.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { type ChallengePurpose, createChallenge, takeChallenge } from './challenges.ts';

/** A passkey belongs to the host name of PUBLIC_URL, and is used on pages of PUBLIC_URL only. */
export const passkeyParty = ({ publicUrl }: Pick<Context, 'publicUrl'>) => ({
  origin: new URL(publicUrl).origin,
  id: new URL(publicUrl).hostname,
});

/** Loaded with the first use: most processes of small clinics never need it. */
const library = () => import('@simplewebauthn/server');

const readChallenge = (clientDataJSON: string): string => {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8'));
    return typeof data === 'object' && data !== null && 'challenge' in data ? String(data.challenge) : '';
  } catch {
    return '';
  }
};

/** Options to create a passkey, with a challenge for this user. In the user's own transaction. */
export async function registrationOptions(
  tx: Tx,
  context: Context,
  { userId, email, name, now }: { userId: number; email: string; name: string; now: string },
) {
  const { generateRegistrationOptions } = await library();
  const existing = await tx.selectFrom('passkeys').select('credential_id').where('user_id', '=', userId).execute();
  const options = await generateRegistrationOptions({
    rpName: 'Roomside',
    rpID: passkeyParty(context).id,
    userName: email,
    userDisplayName: name,
    // Says nothing about the person, and is the same for all passkeys of one.
    userID: new Uint8Array(context.keys.mac('handle', String(userId))),
    attestationType: 'none',
    excludeCredentials: existing.map(({ credential_id }) => ({ id: credential_id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  await createChallenge(tx, { challenge: options.challenge, purpose: 'add', userId, now });
  return options;
}

/** Uses up the challenge of a new passkey, in the user's own transaction. Returns null when it is not one for this user. */
export async function takeRegistration(
  tx: Tx,
  { userId, response, now }: { userId: number; response: PasskeyRegistration; now: string },
): Promise<string | null> {
  const challenge = readChallenge(response.response.clientDataJSON);
  const taken = await takeChallenge(tx, { challenge, purpose: 'add', now });
  return taken?.userId === userId ? challenge : null;
}

/** What is stored of a passkey. */
interface Credential {
  readonly id: string;
  readonly publicKey: Uint8Array;
  readonly counter: number;
}

/** Verifies a new passkey: its challenge, the page's address, and the user's verification by the device. */
export async function verifyRegistration(
  context: Context,
  challenge: string,
  response: PasskeyRegistration,
): Promise<Credential | null> {
  const { verifyRegistrationResponse } = await library();
  const { origin, id } = passkeyParty(context);
  const verified = await verifyRegistrationResponse({
    response: response as Parameters<typeof verifyRegistrationResponse>[0]['response'],
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
  }).catch(() => null);
  return verified?.verified ? verified.registrationInfo.credential : null;
}

/** Stores a verified passkey. Returns its id; null when it is stored already. */
export async function storePasskey(
  tx: Tx,
  { userId, name, credential, now }: { userId: number; name: string; credential: Credential; now: string },
): Promise<number | null> {
  const row = await tx
    .insertInto('passkeys')
    .values({
      user_id: userId,
      credential_id: credential.id,
      public_key: Buffer.from(credential.publicKey),
      counter: credential.counter,
      name,
      created_at: now,
    })
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .returning('passkey_id')
    .executeTakeFirst();
  return row?.passkey_id ?? null;
}

/** What a passkey is used for: by default to sign in. */
type UsePurpose = Exclude<ChallengePurpose, 'add'>;

/** Options to use a passkey: one of the user's, or of anyone whose passkey is on the device (`userId` null). */
export async function assertionOptions(
  tx: Tx,
  context: Context,
  { userId, purpose = 'sign-in', now }: { userId: number | null; purpose?: UsePurpose; now: string },
) {
  const { generateAuthenticationOptions } = await library();
  const own =
    userId === null
      ? []
      : await tx.selectFrom('passkeys').select('credential_id').where('user_id', '=', userId).execute();
  const options = await generateAuthenticationOptions({
    rpID: passkeyParty(context).id,
    userVerification: 'required',
    allowCredentials: own.map(({ credential_id }) => ({ id: credential_id })),
  });
  await createChallenge(tx, { challenge: options.challenge, purpose, userId, now });
  return options;
}

/** A passkey that has signed a challenge. */
export interface UsedPasskey {
  readonly passkeyId: number;
  readonly userId: number;
  readonly before: number;
  readonly counter: number;
}

/**
 * Verifies what a passkey has signed: the challenge (once, for this purpose), the page's address, the user's verification by the
 * device, the signature and the counter. Returns null when any of them is wrong. Opens its own transactions.
 */
export async function verifyAssertion(
  context: Context,
  {
    response,
    userId,
    purpose = 'sign-in',
    now,
  }: { response: PasskeyAssertion; userId: number | null; purpose?: UsePurpose; now: string },
): Promise<UsedPasskey | null> {
  const challenge = readChallenge(response.response.clientDataJSON);
  const found = await context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    const taken = await takeChallenge(tx, { challenge, purpose, now });
    if (!taken || taken.userId !== userId) return null;
    return tx.selectFrom('passkeys').selectAll().where('credential_id', '=', response.id).executeTakeFirst();
  });
  if (!found || (userId !== null && found.user_id !== userId)) return null;
  const { verifyAuthenticationResponse } = await library();
  const { origin, id } = passkeyParty(context);
  const verified = await verifyAuthenticationResponse({
    response: response as Parameters<typeof verifyAuthenticationResponse>[0]['response'],
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
    credential: { id: found.credential_id, publicKey: new Uint8Array(found.public_key), counter: found.counter },
  }).catch(() => null);
  if (!verified?.verified) return null;
  const counter = verified.authenticationInfo.newCounter;
  return { passkeyId: found.passkey_id, userId: found.user_id, before: found.counter, counter };
}

/** Stores the counter of a used passkey. Returns false when it was removed, or used elsewhere meanwhile. */
export async function recordUse(tx: Tx, used: UsedPasskey, now: string): Promise<boolean> {
  const row = await tx
    .updateTable('passkeys')
    .set({ counter: used.counter, used_at: now })
    .where('passkey_id', '=', used.passkeyId)
    .where('counter', '=', used.before)
    .returning('passkey_id')
    .executeTakeFirst();
  return row !== undefined;
}
