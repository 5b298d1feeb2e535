import type { Call, Schema, Upload } from '@roomside/contract/call.ts';
import { refusals } from '@roomside/contract/refusals.ts';
import * as z from 'zod/mini';

/** Refusals that all calls of a kind may return, in addition to their own. */
const common = {
  anyone: ['malformed', 'invalid'],
  signedIn: ['malformed', 'not-signed-in', 'not-allowed', 'not-found', 'invalid'],
} as const;

const schemaOf = (schema: Schema) => z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' });

/** Returns an OpenAPI 3.1 description of the calls, from the schemas that validate them. */
export function openApi(calls: readonly Call[], publicUrl: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const call of calls) {
    const path = call.path.replace(/:([a-zA-Z]+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][call.method.toLowerCase()] = operation(call);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Roomside', version: '0.1.0', description: 'Clinic scheduling and video visits.' },
    servers: [{ url: publicUrl }],
    components: { securitySchemes: { accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
    paths,
  };
}

function operation(call: Call): object {
  const open = call.who === 'anyone';
  const codes = [...new Set([...common[open ? 'anyone' : 'signedIn'], ...call.refusals])];
  const problems: Record<string, { description: string }> = {};
  for (const code of codes) {
    const { status } = refusals[code];
    problems[status] = { description: [problems[status]?.description, code].filter(Boolean).join(', ') };
  }
  const media = call.format === 'json' ? 'application/json' : call.format === 'bytes' ? '*/*' : call.format;
  const success =
    call.format === 'redirect'
      ? { 303: { description: 'The browser opens another page.' } }
      : call.format === 'json' && !call.result
        ? { 204: { description: 'Done.' } }
        : {
            200: {
              description: 'Done.',
              content: { [media]: { schema: call.result ? schemaOf(call.result) : { type: 'string' } } },
            },
          };
  return {
    operationId: call.name,
    summary: call.summary,
    ...(!open && {
      security: [{ accessToken: [] }],
      description: `For: ${(call.who as readonly string[]).join(', ')}.`,
    }),
    parameters: [...parameters(call.params, 'path'), ...parameters(call.query, 'query')],
    ...(call.upload && {
      requestBody: { required: true, content: uploadContent(call.upload) },
    }),
    ...(call.body && {
      requestBody: { required: true, content: { 'application/json': { schema: schemaOf(call.body) } } },
    }),
    responses: { ...success, ...problems },
  };
}

function uploadContent({ types, form }: Upload): Record<string, object> {
  const bytes = { type: 'string', format: 'binary' };
  const file = { schema: { type: 'object', properties: { file: bytes }, required: ['file'] } };
  const contents = Object.fromEntries(types.map((type) => [type, { schema: bytes }]));
  return form ? { ...contents, 'multipart/form-data': file } : contents;
}

function parameters(schema: Schema | undefined, place: 'path' | 'query'): object[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemaOf(schema) as {
    properties?: Record<string, object>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, shape]) => ({
    name,
    in: place,
    required: required.includes(name),
    schema: shape,
  }));
}
