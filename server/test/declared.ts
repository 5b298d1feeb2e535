import { isDeepStrictEqual } from 'node:util';
import type { Call } from '@roomside/contract/call.ts';
import * as z from 'zod/mini';

/** A successful answer as it came. */
interface Received {
  readonly status: number;
  /** The header Content-Type; '' without one. */
  readonly type: string;
  readonly text: string;
  /** The parsed body; undefined when the type is not JSON. */
  readonly json: unknown;
}

/**
 * Requires a successful answer to be exactly what the contract declares, and so what OpenAPI says: the status, the media
 * type, and no field that the result does not name. An undeclared field may show what its reader must not see.
 *
 * @throws Error that names the call and the first differences by their paths, never their values
 */
export function requireDeclared(call: Call, { status, type, text, json }: Received): void {
  const differences = differencesFrom(call, { status, type, text, json });
  if (differences.length > 0)
    throw new Error(`${call.name} differs from its contract: ${differences.slice(0, 10).join('; ')}`);
}

function differencesFrom(call: Call, { status, type, text, json }: Received): string[] {
  const media = type.split(';')[0]?.trim() ?? '';
  if (call.format !== 'json') {
    if (status !== 200 || media !== call.format) return [`${status} ${media} instead of 200 ${call.format}`];
    return [];
  }
  if (!call.result) return status === 204 && text === '' ? [] : [`${status} with ${text.length} characters, not 204`];
  if (status !== 200 || media !== 'application/json') return [`${status} ${media} instead of 200 application/json`];
  const parsed = z.safeParse(call.result, json);
  if (!parsed.success) return parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  // Schemas of objects drop the keys that they do not name.
  return undeclared(json, parsed.data, '');
}

/** The paths of `received` that `declared` lacks or has otherwise. */
function undeclared(received: unknown, declared: unknown, path: string): string[] {
  if (isDeepStrictEqual(received, declared)) return [];
  if (!isObject(received) || !isObject(declared)) return [`${path}: changed by the schema`];
  return Object.entries(received).flatMap(([key, value]) => {
    const inner = path === '' ? key : `${path}.${key}`;
    return key in declared ? undeclared(value, declared[key], inner) : [`${inner}: not declared`];
  });
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
