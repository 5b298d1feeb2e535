import { randomBytes, randomInt } from 'node:crypto';
import type { SecondStep, SecondStepMethod, SignedIn } from '@roomside/contract/auth/calls.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import { createAccessToken } from '../../platform/access-token.ts';
import { audit } from '../../platform/audit.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { openSignIn } from '../../platform/open-sign-in.ts';
import { Refusal } from '../../platform/refusal.ts';
import { secondStepMethodsOf } from '../second-factor/factors.ts';
import { createTicket } from '../second-factor/tickets.ts';
import { isTrusted } from '../second-factor/trusted-devices.ts';
import { setCookie } from './cookies.ts';
import { describeDevice } from './describe-device.ts';
import { knownDevice } from './known-devices.ts';
import { createRefreshToken } from './refresh-token.ts';

/** How long a sign-in lasts without and with Remember, ms. */
const lifetimeMs = { browser: 24 * 3_600_000, remembered: 30 * 24 * 3_600_000 };

/** Who signs in: a user, a patient by the code of one appointment, or a guest by the link of an invitation. */
export type SignInSubject =
  | { kind: 'staff'; userId: number; method?: SecondStepMethod }
  | { kind: 'patient'; companyId: number; patientId: number; appointmentId: number }
  | { kind: 'guest'; companyId: number; guestId: number };

export interface SignInAttempt {
  context: Context;
  reply: FastifyReply;
  now: string;
  address: string;
  request: FastifyRequest;
}

/** ENTITY-4 `sn`: short, because it is a part of every peer id. */
const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
const createSerial = () => Array.from({ length: 10 }, () => letters[randomInt(letters.length)]).join('');

/** A user whose password or link was right. */
interface FirstStep {
  readonly userId: number;
  /** Whether the sign-in lasts 30 days. */
  readonly remember: boolean;
  readonly action: string;
  /** Whether a trusted device replaces the second factor. */
  readonly mayTrustDevice: boolean;
}

/**
 * Signs a user in after the first step, or returns the ticket for the second one. The only way for users to sign in besides
 * the second step itself. Runs in an unauthenticated transaction that has locked the user.
 */
export async function signInUser(tx: Tx, attempt: SignInAttempt, step: FirstStep): Promise<SignedIn | SecondStep> {
  const { context, request, now } = attempt;
  const { userId, remember, action } = step;
  const methods = await secondStepMethodsOf(tx, userId);
  const deviceId = step.mayTrustDevice ? knownDevice(context, request, userId) : null;
  const isDone =
    methods.length === 0 || (deviceId !== null && (await isTrusted(tx, context.keys, { userId, deviceId }, now)));
  if (isDone) return signIn(tx, attempt, { kind: 'staff', userId }, { remember, action });
  audit(tx, {
    caller: null,
    actor: `user_${userId}`,
    companyId: await companyOfUser(tx, userId),
    at: now,
    action: 'askSecondFactor',
    path: '',
    objects: {},
    address: attempt.address,
    requestId: request.id,
  });
  return { signedIn: false, ticket: await createTicket(tx, context.keys, { userId, action, remember }, now), methods };
}

/**
 * Creates a sign-in, its cookie and its first access token, in an unauthenticated transaction. Does not ask for the second factor:
 * for users see {@link signInUser}.
 */
export async function signIn(
  tx: Tx,
  attempt: SignInAttempt,
  subject: SignInSubject,
  { remember, action }: Pick<FirstStep, 'remember' | 'action'>,
): Promise<SignedIn> {
  const { context, now } = attempt;
  const seed = randomBytes(16);
  const { kind } = subject;
  const row = await tx
    .insertInto('sign_ins')
    .values({
      kind,
      company_id: subject.kind === 'staff' ? null : subject.companyId,
      user_id: subject.kind === 'staff' ? subject.userId : null,
      patient_id: subject.kind === 'patient' ? subject.patientId : null,
      appointment_id: subject.kind === 'patient' ? subject.appointmentId : null,
      guest_id: subject.kind === 'guest' ? subject.guestId : null,
      serial: createSerial(),
      seed,
      remember,
      ...(kind === 'staff' && describeDevice(attempt.request.headers['user-agent'], attempt.address)),
      created_at: now,
      rotated_at: now,
      active_at: now,
      expires_at: new Date(Date.parse(now) + (remember ? lifetimeMs.remembered : lifetimeMs.browser)).toISOString(),
    })
    .returning('sign_in_id')
    .executeTakeFirstOrThrow();
  const caller = await openSignIn(tx, row.sign_in_id, now);
  if (!caller) throw new Refusal('company-disabled');
  audit(tx, {
    caller,
    at: now,
    action,
    path: '',
    objects: {
      signIn: row.sign_in_id,
      ...(subject.kind === 'staff' && subject.method && { secondFactor: subject.method }),
    },
    address: attempt.address,
    requestId: attempt.request.id,
  });
  setCookie(
    context,
    attempt.reply,
    kind,
    createRefreshToken(context.keys, { sign_in_id: row.sign_in_id, seed }, 0),
    remember,
  );
  return { signedIn: true, accessToken: await createAccessToken(context, caller) };
}

/**
 * Locks a user in an unauthenticated transaction, before their link or ticket is used up: the end of all sign-ins waits for this one, or
 * has been done before.
 */
export async function lockUser(tx: Tx, userId: number): Promise<void> {
  await sql`select lock_user(${userId})`.execute(tx);
}

/** Returns the company of a user for the audit log; null for a Super. Runs in an unauthenticated transaction. */
export async function companyOfUser(tx: Tx, userId: number | null): Promise<number | null> {
  const { rows } = await sql<{ company_id: number | null }>`select company_id from auth_user_by_id(${userId})`.execute(
    tx,
  );
  return rows[0]?.company_id ?? null;
}
