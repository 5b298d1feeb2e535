import type { Schema } from '@roomside/contract/call.ts';
import * as z from 'zod/mini';
import { Refusal } from '../refusal.ts';

/** Validates a value by a schema of the contract. @throws Refusal with `code` and the texts by field path */
export function parse<T>(schema: Schema<T>, value: unknown, code: 'invalid' | 'malformed' | 'not-found'): T {
  const result = z.safeParse(schema, value);
  if (result.success) return result.data;
  if (code === 'not-found') throw new Refusal(code);
  const fields: Record<string, string> = {};
  for (const issue of result.error.issues) fields[issue.path.join('.')] ??= issue.message;
  throw new Refusal(code, { fields });
}

/**
 * Converts query and path parameters, which are texts, to the numbers and booleans of the schema. A text that cannot be
 * converted is returned unchanged, and the schema refuses it.
 */
export function decodeTexts(schema: Schema, texts: Record<string, unknown>): Record<string, unknown> {
  const shape = (schema as unknown as { def: { shape?: Record<string, unknown> } }).def.shape ?? {};
  const decoded: Record<string, unknown> = {};
  for (const [key, text] of Object.entries(texts)) {
    const type = leafType(shape[key]);
    if (type === 'number' && typeof text === 'string' && /^-?\d{1,15}$/.test(text)) decoded[key] = Number(text);
    else if (type === 'boolean' && (text === 'true' || text === 'false')) decoded[key] = text === 'true';
    else decoded[key] = text;
  }
  return decoded;
}

function leafType(schema: unknown): string | undefined {
  let def = (schema as { def?: { type?: string; innerType?: unknown } } | undefined)?.def;
  while (def?.innerType) def = (def.innerType as { def?: typeof def }).def;
  return def?.type;
}
