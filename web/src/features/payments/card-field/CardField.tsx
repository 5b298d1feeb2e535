import type { ProcessorOfPage } from '@roomside/contract/payments/processors.ts';
import { type Ref, useId } from 'react';
import { later } from '../../../ui/later.tsx';
import { Notice } from '../../../ui/light/Notice.tsx';
import type { CardHandle } from './card-handle.ts';
import { SandboxCard } from './SandboxCard.tsx';
import './card-field.css';

const StripeCard = later(
  async () => (await import('./StripeCard.tsx')).StripeCard,
  () => <div className="rs-input card-stripe" />,
);

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
      {processor.processor === 'sandbox' ? <SandboxCard {...own} /> : <StripeCard {...own} />}
      {error && <Notice kind="error">{error}</Notice>}
    </div>
  );
}
