import type { SecondStepMethod, SignedIn } from '@roomside/contract/auth/calls.ts';
import type { Call } from '@roomside/contract/call.ts';
import type { Tx } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { AlarmRule } from '../../platform/security-log.ts';
import { attemptsOf, throttle } from '../../platform/throttle.ts';
import { countAttempt, deleteTicket, readTicket, type Ticket } from '../second-factor/tickets.ts';
import { trustDevice } from '../second-factor/trusted-devices.ts';
import { knownDevice, rememberDevice } from './known-devices.ts';
import { companyOfUser, lockUser, type SignInAttempt, signIn } from './sign-in.ts';

/** Above the number of typing errors in many companies. */
const alarm: AlarmRule = { name: 'manyWrongSecondFactors', limit: 100, windowMs: 15 * 60_000 };

interface SecondStep {
  readonly call: Call;
  readonly ticket: string;
  readonly trustDevice: boolean;
  /** For the audit log: how the user proved it. */
  readonly method: SecondStepMethod;
  /** Checks the factor and uses it up, in an unauthenticated transaction. */
  verify(tx: Tx, userId: number): Promise<boolean>;
}

/**
 * Completes the sign-in of a ticket. Wrong attempts count against the limit of the user, or of a device in which the user has
 * signed in before, as passwords do; after five the ticket ends.
 *
 * @throws Refusal `sign-in-expired`, `wrong-second-factor`, `too-many` or `company-disabled`
 */
export async function completeSecondStep(attempt: SignInAttempt, step: SecondStep): Promise<SignedIn> {
  const { context, request, now } = attempt;
  const { keys } = context;
  const ticket = await context.db.open({ kind: 'unauthenticated' }, (tx) =>
    readTicket(tx, keys, { ticket: step.ticket, now, mode: 'read' }),
  );
  if (!ticket) throw await refuseTicket(attempt);
  const { userId } = ticket;
  const device = knownDevice(context, request, userId);
  const attempts = await throttle(context, [{ scope: 'second-factor', subject: device ?? `user ${userId}` }]).catch(
    async (error: unknown) => {
      throw error instanceof Refusal ? await recordFailure(attempt, step.call, userId, error) : error;
    },
  );
  const signedIn = await context.db.open({ kind: 'unauthenticated' }, (tx) => complete(tx, attempt, step, userId));
  if (!signedIn) throw await recordFailure(attempt, step.call, userId, new Refusal('wrong-second-factor'));
  await attempts.forgive();
  return signedIn;
}

/** Returns null for a wrong factor; the attempt is then counted. */
async function complete(tx: Tx, attempt: SignInAttempt, step: SecondStep, userId: number): Promise<SignedIn | null> {
  await lockUser(tx, userId);
  const { keys } = attempt.context;
  // Of two requests with one ticket at the same time the second finds it used.
  const ticket = await readTicket(tx, keys, { ticket: step.ticket, now: attempt.now, mode: 'lock' });
  if (!ticket) throw new Refusal('sign-in-expired');
  if (!(await step.verify(tx, ticket.userId))) {
    await countAttempt(tx, keys, step.ticket);
    return null;
  }
  await deleteTicket(tx, keys, step.ticket);
  const { context, request, reply, now } = attempt;
  const deviceId = rememberDevice(context, request, reply, userId);
  if (step.trustDevice) await trustDevice(tx, keys, { userId, deviceId }, now);
  return signInBy(tx, attempt, ticket, step.method);
}

const signInBy = (tx: Tx, attempt: SignInAttempt, { userId, remember, action }: Ticket, method: SecondStepMethod) =>
  signIn(tx, attempt, { kind: 'staff', userId, method }, { remember, action });

/** A ticket is unknown or has expired: guessing them is limited by network. */
async function refuseTicket({ context, address }: SignInAttempt): Promise<Refusal> {
  await throttle(context, attemptsOf('code-address', address));
  return new Refusal('sign-in-expired');
}

/** Records the refusal with the user, and returns it. */
async function recordFailure(
  { context, address, request }: SignInAttempt,
  call: Call,
  userId: number,
  { code: reason, details }: Refusal,
): Promise<Refusal> {
  const companyId = await context.db.open({ kind: 'unauthenticated' }, (tx) => companyOfUser(tx, userId));
  const event = { action: call.name, path: call.path, address, requestId: request.id, actor: `user_${userId}` };
  context.security.countTowards(alarm, { ...event, reason });
  context.security.record({ ...event, companyId, reason });
  return new Refusal(reason, { ...details, isRecorded: true });
}
