import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import type { Schema } from '@roomside/contract/call.ts';
import { type DefaultValues, type FieldValues, type UseFormReturn, useForm } from 'react-hook-form';

interface Options<T extends FieldValues> {
  defaultValues: DefaultValues<T>;
  /** Newly loaded values; what has been typed stays. */
  values?: T;
  /** 'onBlur' for a form with rows: with 'onTouched' a row complains in the moment in which it is added. */
  mode?: 'onTouched' | 'onBlur';
}

/**
 * A form whose rules are a schema of the contract, the same one that the server checks. Fields complain when they
 * are left, and again while they are being mended.
 */
export function useContractForm<T extends FieldValues>(schema: Schema<T>, options: Options<T>): UseFormReturn<T> {
  const { defaultValues, values, mode = 'onTouched' } = options;
  return useForm<T>({
    // The schemas of the contract implement Standard Schema; the declared type is narrower than what is there.
    resolver: standardSchemaResolver(schema as never) as never,
    mode,
    defaultValues,
    ...(values ? { values, resetOptions: { keepDirtyValues: true } } : {}),
  });
}
