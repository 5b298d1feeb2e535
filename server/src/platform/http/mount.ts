import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { verifyAccessToken } from '../access-token.ts';
import { type AuditObjects, audit } from '../audit.ts';
import { type AnyCaller, actorOf, isOneOf } from '../caller.ts';
import { isoNow } from '../clock.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../database/database.ts';
import { Refusal } from '../refusal.ts';
import { openSession } from '../session.ts';
import type { FileResult, Served } from './handler.ts';
import { onlyOnce } from './only-once.ts';
import { decodeTexts, parse } from './parse.ts';

/**
 * Mounts one call: token, role by the token, parsing, then one transaction with the session's rights, the role as it
 * stands now, the handler and the audit row. What is wrong is refused in that order, before any effect.
 */
export function mount(app: FastifyInstance, context: Context, served: Served): void {
  const { call } = served;
  app.route({
    method: call.method,
    url: call.path,
    handler: async (request, reply) => {
      const now = isoNow(context.clock);
      const signInId = served.open ? 0 : await signInOf(request, context, served);
      const input = {
        context,
        now,
        request,
        reply,
        address: request.ip,
        params:
          call.params &&
          parse(call.params, decodeTexts(call.params, request.params as Record<string, unknown>), 'not-found'),
        query:
          call.query &&
          parse(call.query, decodeTexts(call.query, request.query as Record<string, unknown>), 'malformed'),
        body: call.body && parse(call.body, request.body, 'invalid'),
      };
      const result = served.open
        ? await served.handle(input)
        : await new Promise((resolve, reject) => {
            inSession(served, input, signInId, resolve).then(resolve, reject);
          });
      return send(reply, served, result);
    },
  });
}

async function signInOf(request: FastifyRequest, context: Context, { call }: Served): Promise<number> {
  const [scheme, token] = (request.headers.authorization ?? '').split(' ');
  const known = scheme === 'Bearer' && token ? await verifyAccessToken(context, token) : null;
  if (!known) throw new Refusal('not-signed-in');
  if (!context.skipChecks && call.who !== 'anyone' && !call.who.includes(known.caller))
    throw new Refusal('not-allowed');
  return known.signInId;
}

interface Input {
  context: Context;
  now: string;
  address: string;
  request: FastifyRequest;
  params: unknown;
  body: unknown;
}

/** `early` hears the answer before the commit when nothing was written, so that nobody needs to wait for that. */
async function inSession(
  served: Served,
  input: Input,
  signInId: number,
  early: (answer: unknown) => void,
): Promise<unknown> {
  const { call } = served;
  const { context, now, request } = input;
  const afterCommit: (() => void)[] = [];
  const trace = (tx: Tx, caller: AnyCaller, objects: AuditObjects) => {
    const entry = { caller, at: now, action: call.name, path: call.path, objects, address: input.address };
    return audit(tx, { ...entry, requestId: request.id });
  };
  const opened = async (tx: Tx): Promise<AnyCaller> => {
    const caller = await openSession(tx, signInId, now);
    if (!caller) throw new Refusal('sign-in-ended');
    if (!context.skipChecks && call.who !== 'anyone' && !isOneOf(caller, call.who)) throw new Refusal('not-allowed');
    return caller;
  };
  const running = context.db.begin(async (tx) => {
    const caller = await opened(tx);
    const objects: AuditObjects = { ...(input.params as object) };
    const work = () =>
      served.handle({
        ...input,
        caller,
        tx,
        touched: (kind: string, ids: number | string | readonly (number | string)[]) => {
          objects[kind] = ids;
        },
        afterCommit: (effect: () => void) => afterCommit.push(effect),
      });
    const answer = call.creates ? await onlyOnce(tx, ownerOf(caller), call, input, work) : await work();
    // A read that showed nothing of a patient (a count, the providers) leaves no trace and costs no write.
    const isTraced = call.method !== 'GET' || Object.keys(objects).length > 0;
    if (isTraced) await trace(tx, caller, objects);
    else early(answer);
    return answer;
  });
  const result = await running.catch(async (error: unknown) => {
    if (!(error instanceof Refusal && error.details.explain)) throw error;
    const { explain, ...details } = error.details;
    const current = await context.db.begin(async (tx) => {
      const caller = await opened(tx);
      const explained = await explain(tx);
      if (Object.keys(explained.objects).length > 0) await trace(tx, caller, explained.objects);
      return explained.current;
    });
    throw new Refusal(error.code, { ...details, current });
  });
  for (const effect of afterCommit) effect();
  return result;
}

/** Whose keys they are; those of an installation's administrators belong to no company, and are not kept. */
const ownerOf = (caller: AnyCaller) =>
  'companyId' in caller ? { companyId: caller.companyId, actor: actorOf(caller) } : undefined;

function send(reply: FastifyReply, { call }: Served, result: unknown): unknown {
  reply.header('cache-control', 'no-store');
  if (call.format !== 'json') {
    const { fileName, text } = result as FileResult;
    return reply
      .type(`${call.format}; charset=utf-8`)
      .header('content-disposition', `attachment; filename="${fileName}"`)
      .send(text);
  }
  if (call.result === undefined) return reply.status(204).send();
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(result));
}
