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
  /** False waits, e.g. for an id. */
  enabled?: boolean;
  /** Keeps showing the last answer while the next page loads. */
  keepPrevious?: boolean;
  refetchInterval?: number;
  /** Shown until the first answer, where something like it is known already. */
  placeholder?: ResultOf<C> | undefined;
  /** How long an answer counts as fresh, ms. */
  staleTime?: number;
}

/** The key of a read in the page's memory: all reads of a call begin with its name. */
export function readKey<C extends Call>(call: C, input?: InputOf<C>): readonly unknown[] {
  return input === undefined ? [call.name] : [call.name, input];
}

/** Reads a call and keeps its answer; the same input asks once. */
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
      // The memory takes no undefined: a call without a result answers null.
      return (result ?? null) as ResultOf<C>;
    },
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
    ...(placeholder === undefined ? {} : { placeholderData: (() => placeholder) as typeof keepPreviousData }),
    ...rest,
  });
}

interface ChangeOptions<C extends Call> {
  /** Calls whose answers are no longer true afterwards. */
  invalidates?: readonly Call[];
  /** Names what a creation is to make, where one place makes several things; undefined: it saves one that is there. */
  makes?: (input: InputOf<C>) => string | undefined;
  /** Said when it worked. */
  success?: string;
  onSuccess?: (result: ResultOf<C>, input: InputOf<C>) => void | Promise<void>;
  /** True when a failure has been dealt with; else its words appear as a toast. */
  onError?: (error: unknown, input: InputOf<C>) => boolean | void;
}

/**
 * Sends a call that changes something. Every try to make one thing carries the same idempotency key until it has worked, also when
 * the form was changed in between: a try whose answer was lost may have worked, and then the next one is refused with
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
      // Whoever has read that goes on knowingly.
      if (error instanceof ProblemError && error.code === 'key-reused') once.current = undefined;
      if (!options.onError?.(error, input)) toast.error(wordsFor(error));
    },
  });
}

/** Makes every read of these calls ask again. */
export async function invalidate(client: QueryClient, calls: readonly Call[]): Promise<void> {
  await Promise.all(calls.map((call) => client.invalidateQueries({ queryKey: readKey(call) })));
}
