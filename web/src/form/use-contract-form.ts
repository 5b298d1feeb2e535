import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import type { Schema } from '@roomside/contract/call.ts';
import { type DefaultValues, type FieldValues, type UseFormReturn, useForm } from 'react-hook-form';

interface Options<T extends FieldValues> {
  defaultValues: DefaultValues<T>;
  /** Newly loaded values; typed input stays. */
  values?: T;
  /** 'onBlur' for a form with rows: with 'onTouched' a new row would show an error immediately. */
  mode?: 'onTouched' | 'onBlur';
}

/**
 * A form validated by the contract's schema, as on the server. Fields show errors after they were left, then on each
 * change.
 */
export function useContractForm<T extends FieldValues>(schema: Schema<T>, options: Options<T>): UseFormReturn<T> {
  const { defaultValues, values, mode = 'onTouched' } = options;
  return useForm<T>({
    // The contract's schemas implement Standard Schema; the declared type is narrower.
    resolver: standardSchemaResolver(schema as never) as never,
    mode,
    defaultValues,
    ...(values ? { values, resetOptions: { keepDirtyValues: true } } : {}),
  });
}
