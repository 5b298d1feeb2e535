import type { BodyOf, Call, ParamsOf, QueryOf, ResultOf } from '@roomside/contract/call.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AnyCaller, PatientCaller, StaffCaller, SuperCaller } from '../caller.ts';
import type { Context } from '../context.ts';
import type { AfterCommit, Tx } from '../database/database.ts';

/** What every handler gets, parsed and checked against the call. */
interface Input<C extends Call> {
  readonly context: Context;
  readonly params: ParamsOf<C>;
  readonly query: QueryOf<C>;
  readonly body: BodyOf<C>;
  /** The request's one present, ISO. */
  readonly now: string;
  /** The peer's address, behind trusted proxies the client's. */
  readonly address: string;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

interface Notes {
  /** Notes for the audit row which objects were read or changed; path parameters are noted by themselves. */
  touched(kind: string, ids: number | string | readonly (number | string)[]): void;
}

interface SignedInInput<C extends Call, Who extends AnyCaller> extends Input<C>, Notes {
  readonly caller: Who;
  readonly tx: Tx;
  readonly afterCommit: AfterCommit;
}

/** For a call that waits for something else than its statements: it opens short transactions around that. */
interface StepsInput<C extends Call, Who extends AnyCaller> extends Input<C>, Notes {
  /** A transaction with the sign-in's rights as they stand now, to read the caller's own data; it leaves no audit row. */
  look<T>(work: (tx: Tx, caller: Who) => Promise<T>): Promise<T>;
  /** The transaction that does what the call is for, with the request's audit row. */
  commit<T>(work: (tx: Tx, caller: Who, afterCommit: AfterCommit) => Promise<T>): Promise<T>;
}

/** The result of a file call: text with its name. */
export interface FileResult {
  readonly fileName: string;
  readonly text: string;
}

type Answer<C extends Call> = C['format'] extends 'json' ? ResultOf<C> : ResultOf<C> | FileResult;
type Handler<C extends Call, I> = (input: I) => Promise<Answer<C>>;

/**
 * A call with what serves it. `open` calls serve anybody and open their own transactions; those of `transaction` run in
 * one that is open already; those of `steps` open theirs as they need them.
 */
export interface Route {
  readonly call: Call;
  readonly mode: 'open' | 'transaction' | 'steps';
  // oxlint-disable-next-line typescript/no-explicit-any -- each maker below checks its own handler.
  readonly handle: (input: any) => Promise<unknown>;
}

/** For calls whose `who` is 'anyone'. */
export const forAnyone = <C extends Call>(call: C, handle: Handler<C, Input<C>>): Route => ({
  call,
  mode: 'open',
  handle,
});

/** For calls of staff only. */
export const forStaff = <C extends Call>(call: C, handle: Handler<C, SignedInInput<C, StaffCaller>>): Route =>
  signedIn(call, ['A', 'D', 'U'], handle);

/** For calls of staff and the installation's administrators. */
export const forUsers = <C extends Call>(
  call: C,
  handle: Handler<C, SignedInInput<C, StaffCaller | SuperCaller>>,
): Route => signedIn(call, ['A', 'D', 'U', 'Super'], handle);

/** As {@link forUsers}, for a call that also waits for a password hash or the like. */
export const forUsersInSteps = <C extends Call>(
  call: C,
  handle: Handler<C, StepsInput<C, StaffCaller | SuperCaller>>,
): Route => signedIn(call, ['A', 'D', 'U', 'Super'], handle, 'steps');

/** For calls of everybody in a room: staff and the patient. */
export const forRoom = <C extends Call>(
  call: C,
  handle: Handler<C, SignedInInput<C, StaffCaller | PatientCaller>>,
): Route => signedIn(call, ['A', 'D', 'U', 'P'], handle);

export const forPatient = <C extends Call>(call: C, handle: Handler<C, SignedInInput<C, PatientCaller>>): Route =>
  signedIn(call, ['P'], handle);

export const forEverybody = <C extends Call>(call: C, handle: Handler<C, SignedInInput<C, AnyCaller>>): Route =>
  signedIn(call, ['A', 'D', 'U', 'P', 'Super'], handle);

function signedIn(
  call: Call,
  allowed: readonly string[],
  handle: Route['handle'],
  mode: Route['mode'] = 'transaction',
): Route {
  if (call.who === 'anyone' || call.who.some((name) => !allowed.includes(name))) {
    throw new Error(`The handler of ${call.name} does not fit the callers of its contract.`);
  }
  return { call, mode, handle };
}
