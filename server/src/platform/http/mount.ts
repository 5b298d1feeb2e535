import type { Call } from '@roomside/contract/call.ts';
import type { Caller as CallerName } from '@roomside/contract/permissions.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { verifyAccessToken } from '../access-token.ts';
import { audit } from '../audit.ts';
import type { AuditObjects } from '../audit-objects.ts';
import { type AnyCaller, actorOf } from '../caller.ts';
import { isoNow } from '../clock.ts';
import type { Context } from '../context.ts';
import type { AfterCommit, Statement, Tx } from '../database/database.ts';
import { onBehalfOf } from '../database/scope.ts';
import type { Share } from '../database/turns.ts';
import { openSignInAhead } from '../open-sign-in.ts';
import { Refusal } from '../refusal.ts';
import { isRecorded } from '../security-log.ts';
import { compressed, isCompressible } from './compression.ts';
import type { FileResult, RedirectResult, Route } from './handler.ts';
import { withIdempotency } from './idempotency.ts';
import { OpenedAddresses } from './opened-addresses.ts';
import { decodeTexts, parse } from './parse.ts';
import { type BytesResult, sendBytes } from './send-bytes.ts';
import { type Signer, verifyAddress } from './signed-address.ts';
import { acceptStreams, type UploadBody, uploadOf } from './upload.ts';

/**
 * Registers the route of a call. A request is checked in this order, before any effect: token, role in the token, input;
 * then one transaction with the sign-in's rights: the current role, the handler, the audit row.
 */
export function mount(app: FastifyInstance, context: Context, served: Route): void {
  const { call } = served;
  const compresses = isCompressible(call);
  const opened = new OpenedAddresses(context.clock);
  async function openBytes(request: FastifyRequest, run: Run): Promise<BytesResult> {
    const isRange = isSignedAddress(request, call) && request.headers.range !== undefined;
    const open = isRange ? opened.find(request.url) : undefined;
    if (open) return open;
    const bytes = (await run.execute()) as BytesResult;
    if (isRange && !bytes.everyRange) opened.add(request.url, bytes);
    return bytes;
  }
  const route: RouteOptions = {
    method: call.format === 'bytes' ? ['GET', 'HEAD'] : call.method,
    url: call.path,
    ...(call.format === 'bytes' && { exposeHeadRoute: false }),
    handler: async (request, reply) => {
      // What follows a refused upload on its connection would be the rest of its body.
      if (call.upload) reply.header('connection', 'close');
      const token = served.mode === 'open' ? null : await signerOf(request, context, call);
      const work = async () => {
        const run = new Run(served, context, request, reply, token);
        try {
          if (call.format === 'bytes') return await sendBytes(request, reply, await openBytes(request, run));
          const result = await run.execute();
          const text = prepare(reply, served, result);
          if (call.upload) reply.removeHeader('connection');
          return reply.send(typeof text === 'string' && compresses ? await compressed(request, reply, text) : text);
        } catch (error) {
          throw await run.refused(error);
        }
      };
      return token ? onBehalfOf(shareOf(token), work) : work();
    },
  };
  if (!call.upload) app.route(route);
  else
    void app.register(async (scope) => {
      acceptStreams(scope);
      scope.route(route);
    });
}

const isSignedAddress = (request: FastifyRequest, call: Call): boolean =>
  call.addressable &&
  !request.headers.authorization &&
  typeof (request.query as { access?: unknown }).access === 'string';

async function signerOf(request: FastifyRequest, context: Context, call: Call): Promise<Signer> {
  const [scheme, token] = (request.headers.authorization ?? '').split(' ');
  const { access } = request.query as { access: string };
  const byToken = () => (scheme === 'Bearer' && token ? verifyAccessToken(context, token) : 'expired');
  const path = request.url.split('?')[0] ?? '';
  const verified = isSignedAddress(request, call) ? verifyAddress(context, call, path, access) : await byToken();
  if (verified === 'forged') {
    const { ip: address, id: requestId } = request;
    context.security.record({ action: call.name, path: call.path, reason: 'not-signed-in', address, requestId });
  }
  if (typeof verified === 'string') throw new Refusal('not-signed-in');
  return verified;
}

/** The groups that share the database's connections: a company and its callers. */
function shareOf(token: Signer): Share {
  const { company, roles, sub } = token.claims;
  return { group: `company ${company ?? 'none'}`, member: `${roles}_${sub}` };
}

/** Work in a transaction with the caller's rights. `found`: the rows of each statement that was sent ahead. */
type SignedInWork<T> = (tx: Tx, caller: AnyCaller, afterCommit: AfterCommit, found: unknown[][]) => Promise<T>;

/** One request to one call. */
class Run {
  readonly #served: Route;
  readonly #context: Context;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #token: Signer | null;
  /** The time of the request, ISO. */
  readonly #now: string;
  readonly #objects: AuditObjects = {};
  #caller: AnyCaller | undefined;
  #input: Parameters<typeof withIdempotency>[3] | undefined;

  constructor(served: Route, context: Context, request: FastifyRequest, reply: FastifyReply, token: Signer | null) {
    this.#served = served;
    this.#context = context;
    this.#request = request;
    this.#reply = reply;
    this.#token = token;
    this.#now = isoNow(context.clock);
  }

  async execute(): Promise<unknown> {
    const { handle, ahead } = this.#served;
    if (this.#token) this.#requireRole(this.#token.caller);
    const input = this.#parse();
    this.#input = input;
    Object.assign(this.#objects, input.params as object);
    switch (this.#served.mode) {
      case 'open':
        return handle(input);
      case 'steps':
        return handle({ ...input, ...this.#steps() });
      case 'transaction': {
        const statements = ahead?.({ ...input, companyId: this.#token?.claims.company });
        // A read without an audit row resolves before its commit: nothing was written.
        return new Promise((resolve, reject) => {
          this.#inTransaction(
            (tx, caller, afterCommit, found) =>
              this.#once(tx, caller, () =>
                handle({ ...input, caller, tx, afterCommit, touched: this.#touched, found }),
              ),
            { early: resolve, statements },
          ).then(resolve, reject);
        });
      }
    }
  }

  /**
   * Returns the error to respond with. Patient data in a refusal is audited first, and possible attacks are recorded; when
   * the audit row cannot be written, that failure is returned instead.
   */
  async refused(error: unknown): Promise<unknown> {
    if (!(error instanceof Refusal)) return error;
    this.#record(error);
    const { about, objects, ...details } = error.details;
    const read = about && this.#context.refusalReaders[error.code];
    if (!this.#token || (!read && !objects)) return error;
    return this.#withSignIn(async (tx, caller) => {
      const shown = read ? await read(tx, about) : { current: details.current, objects: objects ?? {} };
      if (Object.keys(shown.objects).length > 0) this.#audit(tx, caller, shown.objects);
      return new Refusal(error.code, { ...details, current: shown.current });
    }).catch((failure: unknown) => failure);
  }

  #parse() {
    const { call } = this.#served;
    const { query, body } = this.#request;
    const params = this.#request.params as Record<string, unknown>;
    return {
      context: this.#context,
      now: this.#now,
      request: this.#request,
      reply: this.#reply,
      address: this.#request.ip,
      params: call.params && parse(call.params, decodeTexts(call.params, params), 'not-found'),
      query: call.query && parse(call.query, decodeTexts(call.query, query as Record<string, unknown>), 'malformed'),
      body: call.body && parse(call.body, body, 'invalid'),
      upload: call.upload && this.#guarded(uploadOf(this.#request, call.upload)),
    };
  }

  /** The body of an upload is not read before a transaction has checked the sign-in. */
  #guarded(upload: UploadBody): UploadBody {
    const isChecked = () => this.#caller !== undefined;
    const content = async function* () {
      if (!isChecked()) throw new Error('The body was read before the rights were checked.');
      yield* upload.content;
    };
    return { ...upload, content: content() };
  }

  #requireRole(caller: CallerName): void {
    const { who } = this.#served.call;
    if (!this.#context.skipChecks && who !== 'anyone' && !who.includes(caller)) throw new Refusal('not-allowed');
  }

  /** Staff of an expired company can sign in and pay; a visit that runs goes on (decision 058). */
  #requireLicense(caller: AnyCaller): void {
    const { unlicensed } = this.#served.call;
    if (this.#context.skipChecks || caller.kind === 'super' || caller.license === 'valid' || unlicensed === 'yes')
      return;
    if (unlicensed === 'during-visit' && caller.license === 'during-visit') return;
    throw new Refusal(caller.kind === 'staff' ? 'license-expired' : 'clinic-closed');
  }

  /** Staff without the second factor that their company requires can set one up, and finish the visit they are in (decision 060). */
  #requireFactor(caller: AnyCaller): void {
    const { withoutFactor, unlicensed } = this.#served.call;
    if (this.#context.skipChecks || caller.kind !== 'staff' || caller.secondFactor === 'settled' || withoutFactor)
      return;
    if (unlicensed === 'during-visit' && caller.secondFactor === 'during-visit') return;
    throw new Refusal('second-factor-required');
  }

  /** Opens a transaction with the current rights of the sign-in. */
  #withSignIn<T>(work: SignedInWork<T>, statements: readonly Statement<unknown>[] = []): Promise<T> {
    return this.#context.db.begin(async (tx, afterCommit) => {
      const id = this.#token?.signInId ?? 0;
      const opened = await openSignInAhead(tx, id, this.#now, statements);
      if (!opened) throw new Refusal('sign-in-ended');
      const { caller, found } = opened;
      this.#caller = caller;
      this.#requireRole(caller.role);
      this.#requireFactor(caller);
      this.#requireLicense(caller);
      return work(tx, caller, afterCommit, found);
    });
  }

  /** As {@link #withSignIn}, with the audit row of the request. Without one, `early` gets the result before the commit. */
  #inTransaction<T>(
    work: SignedInWork<T>,
    { early, statements }: { early?: (result: T) => void; statements?: readonly Statement<unknown>[] | undefined } = {},
  ): Promise<T> {
    return this.#withSignIn(async (tx, caller, afterCommit, found) => {
      const result = await work(tx, caller, afterCommit, found);
      // A read without patient data (a count, the providers) writes no audit row.
      const isAudited = this.#served.call.method !== 'GET' || Object.keys(this.#objects).length > 0;
      if (isAudited) this.#audit(tx, caller, this.#objects);
      else early?.(result);
      return result;
    }, statements);
  }

  /** Runs the changes of a call that creates something once for each idempotency key. */
  #once<T>(tx: Tx, caller: AnyCaller, work: () => Promise<T>): Promise<T> {
    const { call } = this.#served;
    if (!call.creates || !this.#input) return work();
    return withIdempotency(tx, { owner: ownerOf(caller), objects: this.#objects }, call, this.#input, work);
  }

  #audit(tx: Tx, caller: AnyCaller, objects: AuditObjects): void {
    const { name: action, path } = this.#served.call;
    const { ip: address, id: requestId } = this.#request;
    audit(tx, { caller, at: this.#now, action, path, objects, address, requestId });
  }

  readonly #touched = (kind: string, ids: number | string | readonly (number | string)[]): void => {
    this.#objects[kind] = ids;
  };

  #steps() {
    return {
      look: <T>(work: (tx: Tx, caller: AnyCaller) => Promise<T>) => this.#withSignIn(work),
      commit: <T>(work: (tx: Tx, caller: AnyCaller, afterCommit: AfterCommit) => Promise<T>) =>
        this.#inTransaction((tx, caller, afterCommit) => this.#once(tx, caller, () => work(tx, caller, afterCommit))),
      touched: this.#touched,
    };
  }

  #record({ code, details }: Refusal): void {
    if (details.isRecorded || !isRecorded(code, this.#token ? 'signed-in' : 'stranger')) return;
    const { name: action, path } = this.#served.call;
    const { ip: address, id: requestId } = this.#request;
    const event = { action, path, reason: code, address, requestId };
    // The path of a stranger's request may contain a secret.
    if (!this.#token) return this.#context.security.record(event);
    const { company, roles, sub } = this.#token.claims;
    this.#context.security.record({
      ...event,
      caller: this.#caller,
      actor: `${roles}_${sub}`,
      companyId: company ?? null,
      objects: { ...this.#objects },
    });
  }
}

/** The owner of idempotency keys; administrators of the installation have no company. */
const ownerOf = (caller: AnyCaller) => ({
  companyId: 'companyId' in caller ? caller.companyId : null,
  actor: actorOf(caller),
});

/** Sets status and headers of the response. Returns its text, or undefined without one. */
function prepare(reply: FastifyReply, { call }: Route, result: unknown): FileResult['text'] | undefined {
  reply.header('cache-control', 'no-store');
  if (call.format === 'redirect') {
    // The browser opens the address by GET, whatever the method of the call.
    reply.status(303).header('location', (result as RedirectResult).location);
    return undefined;
  }
  if (call.format !== 'json') {
    const { fileName, text, etag } = result as FileResult;
    // A copy that is asked for with its tag may be kept, by its reader only.
    if (etag !== undefined) reply.header('etag', `W/"${etag}"`).header('cache-control', 'private, no-cache');
    if (text === null) {
      reply.status(304);
      return undefined;
    }
    reply.type(`${call.format}; charset=utf-8`).header('content-disposition', `attachment; filename="${fileName}"`);
    return text;
  }
  if (call.result === undefined) {
    reply.status(204);
    return undefined;
  }
  reply.type('application/json; charset=utf-8');
  return JSON.stringify(result);
}
