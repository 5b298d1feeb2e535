import type { FastifyInstance, FastifyReply } from 'fastify';
import * as z from 'zod/mini';
import type { Context } from '../../platform/context.ts';
import { parse } from '../../platform/http/parse.ts';
import { answerChallenge } from './sandbox.ts';

const answer = z.object({ passed: z.boolean() });
const place = z.object({ actionToken: z.string().check(z.regex(/^sbxact_[0-9a-f]{24}$/)) });

/** The frame that asks has a separate origin, and sends no cookies. */
const allowFrame = (reply: FastifyReply): FastifyReply =>
  reply
    .header('access-control-allow-origin', '*')
    .header('access-control-allow-headers', 'content-type')
    .header('access-control-allow-methods', 'POST');

/** Where the sandbox's question of 3-D Secure is answered: what a bank has at its own address. */
export function registerSandbox(app: FastifyInstance, context: Context): void {
  const path = '/sandbox/challenges/:actionToken';
  app.options(path, (_request, reply) => allowFrame(reply).code(204).send());
  app.post(path, async (request, reply) => {
    const { actionToken } = parse(place, request.params, 'not-found');
    const { passed } = parse(answer, request.body, 'invalid');
    await answerChallenge(context, actionToken, passed);
    return allowFrame(reply).code(204).send();
  });
}
