import type { Call, ResultOf } from '@roomside/contract/call.ts';
import {
  keepPreviousData,
  type QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useRef } from 'react';
import { toast } from '../ui/toast.ts';
import { wordsFor } from './errors.ts';
import { ProblemError } from './problem.ts';
import { type InputOf, type SendArgs, send } from './send.ts';

interface ReadOptions<C extends Call> {
  /** False delays the read, e.g. until an id is known. */
  enabled?: boolean;
  /** Shows the previous result while the next page loads. */
  keepPrevious?: boolean;
  refetchInterval?: number;
  /** Shown until the first result. */
  placeholder?: ResultOf<C> | undefined;
  /** How long a result counts as fresh, ms. */
  staleTime?: number;
}

/** The cache key of a read: starts with the call's name. */
export function readKey<C extends Call>(call: C, input?: InputOf<C>): readonly unknown[] {
  return input === undefined ? [call.name] : [call.name, input];
}

/** Reads a call and caches the result by input. */
export function useRead<C extends Call>(
  call: C,
  input?: InputOf<C>,
  options: ReadOptions<C> = {},
): UseQueryResult<ResultOf<C>> {
  const { keepPrevious, placeholder, ...rest } = options;
  return useQuery<ResultOf<C>>({
    queryKey: readKey(call, input),
    queryFn: async ({ signal }) => {
      const result = await send(call, ...([input, { signal }] as SendArgs<C>));
      // The cache does not accept undefined: a call without a result gives null.
      return (result ?? null) as ResultOf<C>;
    },
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
    ...(placeholder === undefined ? {} : { placeholderData: (() => placeholder) as typeof keepPreviousData }),
    ...rest,
  });
}

interface ChangeOptions<C extends Call> {
  /** Calls whose results change with this one. */
  invalidates?: readonly Call[];
  /** Identifies what is created, or the change of an existing one, when one place sends several; undefined = sent without a key. */
  makes?: (input: InputOf<C>) => string | undefined;
  /** Toast after a success. */
  success?: string;
  onSuccess?: (result: ResultOf<C>, input: InputOf<C>) => void | Promise<void>;
  /** Returns true when the error was handled; otherwise a toast shows its text. */
  onError?: (error: unknown, input: InputOf<C>) => boolean | void;
}

/**
 * Sends a call that changes data. All tries of one creation have the same idempotency key until it has worked, also when
 * the form was changed in between: a try with a lost response may have worked, and then the next one is refused with
 * `key-reused`.
 */
export function useChange<C extends Call>(
  call: C,
  options: ChangeOptions<C> = {},
): UseMutationResult<ResultOf<C>, Error, InputOf<C>> {
  const client = useQueryClient();
  const once = useRef<{ key: string; makes: string }>(undefined);
  return useMutation<ResultOf<C>, Error, InputOf<C>>({
    mutationKey: [call.name],
    mutationFn: (input) => {
      const makes = options.makes ? options.makes(input) : '';
      if (!call.creates || makes === undefined) return send(call, ...([input] as SendArgs<C>));
      if (once.current?.makes !== makes) once.current = { key: crypto.randomUUID(), makes };
      return send(call, ...([input, { idempotencyKey: once.current.key }] as SendArgs<C>));
    },
    onSuccess: async (result, input) => {
      once.current = undefined;
      await invalidate(client, options.invalidates ?? []);
      if (options.success) toast.success(options.success);
      await options.onSuccess?.(result, input);
    },
    onError: (error, input) => {
      // The user has seen the notice, so the next try is a new creation.
      if (error instanceof ProblemError && error.code === 'key-reused') once.current = undefined;
      if (!options.onError?.(error, input)) toast.error(wordsFor(error));
    },
  });
}

/** Marks all reads of these calls as outdated. */
export async function invalidate(client: QueryClient, calls: readonly Call[]): Promise<void> {
  await Promise.all(calls.map((call) => client.invalidateQueries({ queryKey: readKey(call) })));
}
