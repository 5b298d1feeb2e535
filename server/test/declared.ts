import { isDeepStrictEqual } from 'node:util';
import type { Call } from '@roomside/contract/call.ts';
import * as z from 'zod/mini';

/** A successful response. */
interface Received {
  readonly status: number;
  /** The header Content-Type; '' without one. */
  readonly type: string;
  readonly text: string;
  /** The parsed body; undefined when the type is not JSON. */
  readonly json: unknown;
}

/**
 * Requires a successful response to match the contract: status, media type, and no undeclared field, which could reveal
 * data.
 *
 * @throws Error with the call and the paths of the first differences, without values
 */
export function requireDeclared(call: Call, { status, type, text, json }: Received): void {
  const differences = differencesFrom(call, { status, type, text, json });
  if (differences.length > 0)
    throw new Error(`${call.name} differs from its contract: ${differences.slice(0, 10).join('; ')}`);
}

function differencesFrom(call: Call, { status, type, text, json }: Received): string[] {
  const media = type.split(';')[0]?.trim() ?? '';
  if (call.format === 'bytes') return status === 200 || status === 206 ? [] : [`${status} instead of 200 or 206`];
  if (call.format === 'redirect') return status === 303 ? [] : [`${status} instead of 303`];
  if (call.format !== 'json') {
    if (status !== 200 || media !== call.format) return [`${status} ${media} instead of 200 ${call.format}`];
    return [];
  }
  if (!call.result) return status === 204 && text === '' ? [] : [`${status} with ${text.length} characters, not 204`];
  if (status !== 200 || media !== 'application/json') return [`${status} ${media} instead of 200 application/json`];
  const parsed = z.safeParse(call.result, json);
  if (!parsed.success) return parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  // Object schemas drop undeclared keys.
  return undeclared(json, parsed.data, '');
}

/** Returns the paths of `received` that are missing or different in `declared`. */
function undeclared(received: unknown, declared: unknown, path: string): string[] {
  if (isDeepStrictEqual(received, declared)) return [];
  if (!isObject(received) || !isObject(declared)) return [`${path}: changed by the schema`];
  return Object.entries(received).flatMap(([key, value]) => {
    const inner = path === '' ? key : `${path}.${key}`;
    return key in declared ? undeclared(value, declared[key], inner) : [`${inner}: not declared`];
  });
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
