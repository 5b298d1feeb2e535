import type * as z from 'zod/mini';
import type { Caller } from './permissions.ts';
import type { RefusalCode } from './refusals.ts';

/** Any zod schema. Wire schemas have no transforms, so input and output have the same type. */
export type Schema<T = unknown> = z.ZodMiniType<T, T>;

/**
 * The format of a response: JSON of the type `result`, a file of the media type, bytes of which ranges can be requested, or a redirect
 * (303) to an address that the browser opens.
 */
export type Format = 'json' | 'text/csv' | 'text/calendar' | 'bytes' | 'redirect';

/** A request body that is streamed to the handler instead of parsed. */
export interface Upload {
  readonly maxBytes: number;
  /** Accepted media types, with wildcards as in the header Accept. */
  readonly types: readonly string[];
  /** The body may also be a form (multipart/form-data) whose first file is the upload. */
  readonly form?: true;
}

/**
 * Whether callers of a company whose license has expired may make a call: `no`, `yes`, or only while a visit runs that began before
 * the expiry.
 */
export type Unlicensed = 'no' | 'yes' | 'during-visit';

/**
 * The definition of one HTTP call. The server's route, the browser's request, the OpenAPI document and the permission test are
 * derived from it.
 *
 * `path` has `:name` parameters that `params` describes. `who` lists the permitted callers; the handler checks further rules
 * (own objects only). `refusals` are the expected failures besides 400, 401, 403 and 404.
 * `upload` replaces `body`. `addressable` marks reads that a signed address opens without the access token, for elements of a page.
 * `unlicensed` marks what callers of an expired company may still do (docs/decisions/058).
 * `withoutFactor` marks what users without the second factor that their company requires may do; in a visit they also keep the calls
 * that are `during-visit` (docs/decisions/060).
 * `creates` marks calls that accept an `Idempotency-Key` header: a repeat within 24 h returns the first result.
 */
export interface Call<
  P extends Schema | undefined = Schema | undefined,
  Q extends Schema | undefined = Schema | undefined,
  B extends Schema | undefined = Schema | undefined,
  R extends Schema | undefined = Schema | undefined,
> {
  readonly name: string;
  readonly summary: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: `/${string}`;
  readonly who: 'anyone' | readonly Caller[];
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly upload: Upload | undefined;
  readonly addressable: boolean;
  readonly result: R;
  readonly format: Format;
  readonly creates: boolean;
  readonly unlicensed: Unlicensed;
  readonly withoutFactor: boolean;
  readonly refusals: readonly RefusalCode[];
}

interface CallOptions<P, Q, B, R> {
  name: string;
  summary: string;
  method: Call['method'];
  path: Call['path'];
  who: Call['who'];
  params?: P;
  query?: Q;
  body?: B;
  upload?: Upload;
  addressable?: boolean;
  result?: R;
  format?: Format;
  creates?: boolean;
  unlicensed?: Unlicensed;
  withoutFactor?: boolean;
  refusals?: readonly RefusalCode[];
}

/** Creates a call definition. Omitted options are undefined, `json`, `false`, `no` or empty. */
export function call<
  P extends Schema | undefined = undefined,
  Q extends Schema | undefined = undefined,
  B extends Schema | undefined = undefined,
  R extends Schema | undefined = undefined,
>(options: CallOptions<P, Q, B, R>): Call<P, Q, B, R> {
  return {
    name: options.name,
    summary: options.summary,
    method: options.method,
    path: options.path,
    who: options.who,
    params: options.params as P,
    query: options.query as Q,
    body: options.body as B,
    upload: options.upload,
    addressable: options.addressable ?? false,
    result: options.result as R,
    format: options.format ?? 'json',
    creates: options.creates ?? false,
    unlicensed: options.unlicensed ?? 'no',
    withoutFactor: options.withoutFactor ?? false,
    refusals: options.refusals ?? [],
  };
}

type Wire<S> = S extends z.ZodMiniType<infer T, infer _> ? T : undefined;

export type ParamsOf<C extends Call> = Wire<C['params']>;
export type QueryOf<C extends Call> = Wire<C['query']>;
export type BodyOf<C extends Call> = Wire<C['body']>;
export type ResultOf<C extends Call> = Wire<C['result']>;

/** Returns the path with its parameters, percent-encoded. Throws when one is missing. */
export function fillPath(path: string, params: Record<string, string | number> | undefined): string {
  return path.replace(/:([a-zA-Z]+)/g, (_, key: string) => {
    const value = params?.[key];
    if (value === undefined) throw new Error(`The path ${path} needs the parameter ${key}.`);
    return encodeURIComponent(String(value));
  });
}
