import CreditCardOutlinedIcon from '@mui/icons-material/CreditCardOutlined';
import { Box, Typography } from '@mui/material';
import {
  type Card,
  deletePaymentCard,
  getPaymentCards,
  type PaymentCard,
  updatePaymentCard,
} from '@roomside/contract/licenses/calls.ts';
import { type CardPosition, cardPositions } from '@roomside/contract/licenses/cards.ts';
import type { ProcessorOfPage } from '@roomside/contract/payments/processors.ts';
import { useQueryClient } from '@tanstack/react-query';
import { type RefObject, useRef, useState } from 'react';
import { wordsFor } from '../../api/errors.ts';
import { send } from '../../api/send.ts';
import { readKey, useRead } from '../../api/use-call.ts';
import { now } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { confirm } from '../../ui/confirm.ts';
import { LoadError } from '../../ui/LoadError.tsx';
import { Section } from '../../ui/Section.tsx';
import { CardsSkeleton } from '../../ui/Skeletons.tsx';
import { toast } from '../../ui/toast.ts';
import { CardField } from '../payments/card-field/CardField.tsx';
import type { CardHandle } from '../payments/card-field/card-handle.ts';
import { texts } from './texts.ts';

type Input = { params: { companyId: number } };
type Errors = Partial<Record<CardPosition, string>>;

/** The primary and the backup card: which are saved, which are being typed, and what a purchase charges. */
export function useCards(input: Input) {
  const client = useQueryClient();
  const read = useRead(getPaymentCards, input, { staleTime: 0 });
  /** Forms that the person has opened beside or in place of a saved card. */
  const [opened, setOpened] = useState<Partial<Record<CardPosition, boolean>>>({});
  const [errors, setErrors] = useState<Errors>({});
  const [busy, setBusy] = useState(false);
  const fields = {
    primary: useRef<CardHandle>(null),
    backup: useRef<CardHandle>(null),
  } satisfies Record<CardPosition, RefObject<CardHandle | null>>;

  const savedAt = (position: CardPosition) => read.data?.data.find((card) => card.position === position);
  const isTyped = (position: CardPosition) =>
    opened[position] === true || (position === 'primary' && read.data !== undefined && !savedAt('primary'));

  const set = (data: { data: PaymentCard[] }) => client.setQueryData(readKey(getPaymentCards, input), data);

  /** The tokens of the typed cards; undefined when one is not complete, which its field shows. */
  async function tokens(): Promise<Partial<Record<CardPosition, string>> | undefined> {
    const made: Partial<Record<CardPosition, string>> = {};
    for (const position of cardPositions.filter(isTyped)) {
      const result = await fields[position].current?.tokenize();
      if (!result || 'error' in result) return undefined;
      made[position] = result.token;
    }
    return made;
  }

  /** What a purchase charges: first `card`, then `backup`. */
  async function toCharge(): Promise<{ card: Card; backup: Card | null } | undefined> {
    const typed = await tokens();
    if (!typed) return undefined;
    const cardAt = (position: CardPosition): Card | null => {
      const token = typed[position];
      const saved = savedAt(position);
      if (token !== undefined) return { token };
      return saved ? { cardId: saved.cardId } : null;
    };
    const card = cardAt('primary');
    return card ? { card, backup: cardAt('backup') } : undefined;
  }

  /** Saves the typed cards. Returns why that was not possible; '' when it was. */
  async function save(): Promise<string> {
    setBusy(true);
    setErrors({});
    try {
      const typed = await tokens();
      if (!typed) return texts.incomplete;
      for (const position of cardPositions) {
        const token = typed[position];
        if (token === undefined) continue;
        try {
          set(await send(updatePaymentCard, { ...input, body: { position, token } }));
          setOpened((known) => ({ ...known, [position]: false }));
        } catch (failed) {
          setErrors({ [position]: wordsFor(failed) });
          return wordsFor(failed);
        }
      }
      toast.success(texts.cardsSaved);
      return '';
    } finally {
      setBusy(false);
    }
  }

  async function remove({ cardId, cardNumber }: PaymentCard): Promise<void> {
    const text = texts.deleteQuestion;
    const details = [cardNumber];
    if (!(await confirm({ text, details, yes: texts.removeShort, no: texts.cancel, danger: true }))) return;
    try {
      set(await send(deletePaymentCard, { params: { ...input.params, cardId } }));
      toast.success(texts.deleted);
    } catch (failed) {
      toast.error(wordsFor(failed));
      void read.refetch();
    }
  }

  return {
    read,
    busy,
    errors,
    fields,
    savedAt,
    isTyped,
    hasTyped: cardPositions.some(isTyped),
    mayDelete: (read.data?.data.length ?? 0) > 1,
    open: (position: CardPosition, isOpen: boolean) => setOpened((known) => ({ ...known, [position]: isOpen })),
    toCharge,
    save,
    remove,
  };
}

type Cards = ReturnType<typeof useCards>;

interface Props {
  cards: Cards;
  processor: ProcessorOfPage;
  /** While something is paid, nothing can be changed. */
  busy: boolean;
  onSubmit: () => void;
  onSave: () => void;
}

/** The card forms Primary and Backup (CONST-12), and Save Payment Info. */
export function CardsSection({ cards, processor, busy, onSubmit, onSave }: Props) {
  const isBusy = busy || cards.busy;
  return (
    <Section title={texts.cards}>
      {cards.read.data ? (
        <>
          <Box sx={{ display: 'grid', gap: 2.5, gridTemplateColumns: 'minmax(0, 1fr)' }}>
            {cardPositions.map((position) => (
              <Position
                key={position}
                position={position}
                cards={cards}
                processor={processor}
                onSubmit={onSubmit}
                busy={isBusy}
              />
            ))}
          </Box>
          <Box sx={{ pt: 2, borderTop: '1px solid var(--rs-line)' }}>
            <Button look="secondary" loading={cards.busy} disabled={!cards.hasTyped || busy} onClick={onSave}>
              {texts.saveCards}
            </Button>
          </Box>
        </>
      ) : cards.read.error ? (
        <LoadError error={cards.read.error} onRetry={() => void cards.read.refetch()} />
      ) : (
        <CardsSkeleton cards={1} />
      )}
    </Section>
  );
}

interface PositionProps extends Omit<Props, 'onSave'> {
  position: CardPosition;
}

function Position({ position, cards, processor, busy, onSubmit }: PositionProps) {
  const saved = cards.savedAt(position);
  if (cards.isTyped(position))
    return (
      <Box className="license-card">
        <CardField
          processor={processor}
          label={texts[position]}
          error={cards.errors[position]}
          busy={busy}
          onSubmit={onSubmit}
          ref={cards.fields[position]}
        />
        {(saved ?? position === 'backup') && (
          <Button look="quiet" disabled={busy} onClick={() => cards.open(position, false)}>
            {saved ? texts.keep : texts.noBackup}
          </Button>
        )}
      </Box>
    );
  return (
    <Box role="group" aria-label={texts[position]} sx={{ display: 'grid', gap: 1 }}>
      <Typography variant="h3" component="h3">
        {texts[position]}
      </Typography>
      {saved ? (
        <Saved position={position} saved={saved} cards={cards} busy={busy} />
      ) : (
        <>
          <Typography color="textSecondary">{texts.backupHint}</Typography>
          <Box>
            <Button look="secondary" disabled={busy} onClick={() => cards.open(position, true)}>
              {texts.addBackup}
            </Button>
          </Box>
        </>
      )}
    </Box>
  );
}

/** A saved card: masked, with its expiry (VALID-27). */
function Saved({
  position,
  saved,
  cards,
  busy,
}: {
  position: CardPosition;
  saved: PaymentCard;
  cards: Cards;
  busy: boolean;
}) {
  const isOver = isCardOver(saved.expDate, now());
  return (
    <Box sx={savedCard}>
      <CreditCardOutlinedIcon aria-hidden sx={{ color: 'text.secondary' }} />
      <Box sx={{ flex: '1 1 220px', minWidth: 0 }}>
        <Typography sx={{ fontWeight: 600, fontVariantNumeric: 'tabular-nums', overflowWrap: 'anywhere' }}>
          {saved.cardNumber}
        </Typography>
        <Typography variant="body2" sx={{ color: isOver ? 'error.main' : 'text.secondary' }}>
          {isOver ? texts.isOver(saved.expDate) : texts.expires(saved.expDate)}
        </Typography>
      </Box>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
        <Button
          look="quiet"
          disabled={busy}
          aria-label={texts.replace(texts[position])}
          onClick={() => cards.open(position, true)}
        >
          {texts.replaceShort}
        </Button>
        {cards.mayDelete && (
          <Button
            look="danger"
            disabled={busy}
            aria-label={texts.remove(texts[position])}
            onClick={() => void cards.remove(saved)}
          >
            {texts.removeShort}
          </Button>
        )}
      </Box>
    </Box>
  );
}

/** A card is valid until the end of its month. */
function isCardOver(expDate: string, at: string): boolean {
  const [month = '', year = ''] = expDate.split('/');
  return `${year}-${month}` < at.slice(0, 7);
}

const savedCard = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: 2,
  px: 2,
  py: 1.5,
  border: '1px solid var(--rs-line)',
  borderRadius: 'var(--rs-radius-md)',
} as const;
