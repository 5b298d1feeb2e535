import type { ProcessorOfPage } from '@roomside/contract/payments/processors.ts';
import { lazy, type Ref, Suspense, useId } from 'react';
import { Notice } from '../../../ui/light/Notice.tsx';
import type { CardHandle } from './card-handle.ts';
import { SandboxCard } from './SandboxCard.tsx';
import './card-field.css';

const StripeCard = lazy(async () => ({ default: (await import('./StripeCard.tsx')).StripeCard }));

interface Props {
  processor: ProcessorOfPage;
  label: string;
  /** The server's text about the last try; shown under the field (ERROR-10). */
  error?: string | undefined;
  busy?: boolean;
  /** Enter was pressed in the field. */
  onSubmit?: () => void;
  ref: Ref<CardHandle>;
}

/** A card, entered in a frame of the processor: its number never reaches this page. */
export function CardField({ processor, label, error, busy = false, onSubmit = () => undefined, ref }: Props) {
  const labelId = useId();
  const own = { processor, busy, onSubmit, ref };
  return (
    <div role="group" aria-labelledby={labelId}>
      <h2 id={labelId} className="card-label">
        {label}
      </h2>
      {processor.processor === 'sandbox' ? (
        <SandboxCard {...own} />
      ) : (
        <Suspense fallback={<div className="rs-input card-stripe" />}>
          <StripeCard {...own} />
        </Suspense>
      )}
      {error && <Notice kind="error">{error}</Notice>}
    </div>
  );
}
