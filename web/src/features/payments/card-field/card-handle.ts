import type { ProcessorOfPage } from '@roomside/contract/payments/processors.ts';
import type { Ref } from 'react';
import type { CardResult } from '../../../frames/messages.ts';

/** What a page does with a field for cards. */
export interface CardHandle {
  /** Makes a token of the card. The field shows an error itself, and gives the focus to its place. */
  tokenize(): Promise<CardResult>;
}

/** What the field of each processor is given. */
export interface ProcessorFieldProps {
  processor: ProcessorOfPage;
  /** While the page pays, the card cannot be changed. */
  busy: boolean;
  /** Enter was pressed in the field. */
  onSubmit: () => void;
  ref: Ref<CardHandle>;
}
