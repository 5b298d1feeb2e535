import { type Call, fillPath } from '@roomside/contract/call.ts';

/** Path and query of a call, e.g. '/api/brand?host=clinic.test'. `input` is the call's InputOf. */
export function callUrl(call: Pick<Call, 'path'>, input: object = {}): string {
  const { params, query } = input as { params?: Record<string, string>; query?: object };
  return fillPath(call.path, params) + queryText(query);
}

/** '?a=1&b=2&b=3'; undefined and null are left out. */
function queryText(query: object | undefined): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query ?? {})) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null) search.append(key, String(item));
    }
  }
  const text = search.toString();
  return text && `?${text}`;
}
