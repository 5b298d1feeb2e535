import type { Readable } from 'node:stream';
import type { BodyOf, Call, ParamsOf, QueryOf, ResultOf } from '@roomside/contract/call.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AnyCaller, GuestCaller, PatientCaller, RoomCaller, StaffCaller, SuperCaller } from '../caller.ts';
import type { Context } from '../context.ts';
import type { AfterCommit, RowsOf, Statement, Statements, Tx } from '../database/database.ts';
import type { BytesResult } from './send-bytes.ts';
import type { UploadBody } from './upload.ts';

/** The input of every handler, parsed and checked by the call's schemas. */
interface Input<C extends Call> {
  readonly context: Context;
  readonly params: ParamsOf<C>;
  readonly query: QueryOf<C>;
  readonly body: BodyOf<C>;
  /** The time of the request, ISO. */
  readonly now: string;
  /** The client's address; trusted proxies are taken into account. */
  readonly address: string;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

interface AuditRecorder {
  /** Adds ids of objects that were read or changed to the audit row; path parameters are added automatically. */
  touched(kind: string, ids: number | string | readonly (number | string)[]): void;
}

interface SignedInInput<C extends Call, Who extends AnyCaller> extends Input<C>, AuditRecorder {
  readonly caller: Who;
  readonly tx: Tx;
  readonly afterCommit: AfterCommit;
}

/** What a statement may depend on that is sent ahead. */
interface AheadInput<C extends Call> extends Pick<Input<C>, 'query' | 'body' | 'now'> {
  /** The caller's; undefined for an administrator of the installation. */
  readonly companyId: number | undefined;
}

/** For a call that also waits for other work than statements: it opens short transactions around that work. */
interface StepsInput<C extends Call, Who extends AnyCaller> extends Input<C>, AuditRecorder {
  /** Opens a transaction with the sign-in's current rights to read the caller's own data, without an audit row. */
  look<T>(work: (tx: Tx, caller: Who) => Promise<T>): Promise<T>;
  /** Opens the transaction with the changes of the call and the audit row of the request. */
  commit<T>(work: (tx: Tx, caller: Who, afterCommit: AfterCommit) => Promise<T>): Promise<T>;
}

/** The result of a call that returns a file. */
export interface FileResult {
  readonly fileName: string;
  /** A stream for a text of any size, which is read after the transaction. Null = the client's copy with this entity tag is current. */
  readonly text: string | Readable | null;
  /** The weak entity tag of a file that clients ask for again; without quotes. */
  readonly etag?: string;
}

/** The result of a call that sends the browser to another address. */
export interface RedirectResult {
  readonly location: string;
}

type HandlerResult<C extends Call> = C['format'] extends 'json'
  ? ResultOf<C>
  : ResultOf<C> | FileResult | BytesResult | RedirectResult;
type Handler<C extends Call, I> = (input: I) => Promise<HandlerResult<C>>;

/**
 * A call with its handler. `open`: needs no sign-in and opens its own transactions. `transaction`: runs in an open
 * transaction. `steps`: opens transactions as needed.
 */
export interface Route {
  readonly call: Call;
  readonly mode: 'open' | 'transaction' | 'steps';
  /** Of a transaction: the statements that are sent with opening the sign-in. */
  // oxlint-disable-next-line typescript/no-explicit-any -- each function below checks it.
  readonly ahead?: (input: any) => readonly Statement<unknown>[];
  // oxlint-disable-next-line typescript/no-explicit-any -- each function below checks its handler.
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

/**
 * As {@link forUsers}, with statements that are sent together with opening the sign-in, which saves a round trip (record 028). They run with the
 * rights of the sign-in. The caller's current rights are checked before the handler gets their rows.
 */
export const forUsersAhead = <C extends Call, Rows extends readonly unknown[]>(
  call: C,
  ahead: (input: AheadInput<C>) => Statements<Rows>,
  handle: Handler<C, SignedInInput<C, StaffCaller | SuperCaller> & { readonly found: RowsOf<Rows> }>,
): Route => ({ ...signedIn(call, ['A', 'D', 'U', 'Super'], handle), ahead });

/** As {@link forUsersAhead}, for calls of staff only. */
export const forStaffAhead = <C extends Call, Rows extends readonly unknown[]>(
  call: C,
  ahead: (input: AheadInput<C>) => Statements<Rows>,
  handle: Handler<C, SignedInInput<C, StaffCaller> & { readonly found: RowsOf<Rows> }>,
): Route => ({ ...signedIn(call, ['A', 'D', 'U'], handle), ahead });

/** As {@link forUsers}, for a call that also waits for a password hash or the like. */
export const forUsersInSteps = <C extends Call>(
  call: C,
  handle: Handler<C, StepsInput<C, StaffCaller | SuperCaller>>,
): Route => signedIn(call, ['A', 'D', 'U', 'Super'], handle, 'steps');

/** As {@link forStaff}, for a call that also waits for a payment processor. */
export const forStaffInSteps = <C extends Call>(call: C, handle: Handler<C, StepsInput<C, StaffCaller>>): Route =>
  signedIn(call, ['A', 'D', 'U'], handle, 'steps');

/** As {@link forPatient}, for a call that also waits for a payment processor. */
export const forPatientInSteps = <C extends Call>(call: C, handle: Handler<C, StepsInput<C, PatientCaller>>): Route =>
  signedIn(call, ['P'], handle, 'steps');

/**
 * For uploads of staff. The handler checks the rights on the object by `look`, then reads the body outside of a transaction,
 * then stores by `commit`.
 */
export const forStaffUpload = <C extends Call>(
  call: C,
  handle: Handler<C, StepsInput<C, StaffCaller> & { readonly upload: UploadBody }>,
): Route => {
  if (!call.upload) throw new Error(`${call.name} is not an upload.`);
  return signedIn(call, ['A', 'D', 'U'], handle, 'steps');
};

/** As {@link forStaffUpload}, for uploads of staff and patients. */
export const forRoomUpload = <C extends Call>(
  call: C,
  handle: Handler<C, StepsInput<C, StaffCaller | PatientCaller> & { readonly upload: UploadBody }>,
): Route => {
  if (!call.upload) throw new Error(`${call.name} is not an upload.`);
  return signedIn(call, ['A', 'D', 'U', 'P'], handle, 'steps');
};

/** For calls of staff and patients. */
export const forRoom = <C extends Call>(
  call: C,
  handle: Handler<C, SignedInInput<C, StaffCaller | PatientCaller>>,
): Route => signedIn(call, ['A', 'D', 'U', 'P'], handle);

/** For calls of everyone in a room, guests included. */
export const forPeers = <C extends Call>(call: C, handle: Handler<C, SignedInInput<C, RoomCaller>>): Route =>
  signedIn(call, ['A', 'D', 'U', 'P', 'G'], handle);

/** For calls of guests only. */
export const forGuest = <C extends Call>(call: C, handle: Handler<C, SignedInInput<C, GuestCaller>>): Route =>
  signedIn(call, ['G'], handle);

/** For calls of patients only. */
export const forPatient = <C extends Call>(call: C, handle: Handler<C, SignedInInput<C, PatientCaller>>): Route =>
  signedIn(call, ['P'], handle);

/** For calls of all signed-in callers except guests. */
export const forEverybody = <C extends Call>(
  call: C,
  handle: Handler<C, SignedInInput<C, Exclude<AnyCaller, GuestCaller>>>,
): Route => signedIn(call, ['A', 'D', 'U', 'P', 'Super'], handle);

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
