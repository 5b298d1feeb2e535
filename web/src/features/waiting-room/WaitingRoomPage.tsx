import MeetingRoomOutlinedIcon from '@mui/icons-material/MeetingRoomOutlined';
import { Box, Skeleton } from '@mui/material';
import { may } from '@roomside/contract/permissions.ts';
import { type Arrived, listArrived } from '@roomside/contract/waiting-room/calls.ts';
import { waitingOrder } from '@roomside/contract/waiting-room/waiting.ts';
import { useEffect, useMemo, useState } from 'react';
import { useSignIn } from '../../api/sign-in.ts';
import { useRead } from '../../api/use-call.ts';
import { useCompany } from '../../api/use-company.ts';
import { to } from '../../paths.ts';
import { ownZone } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { Page } from '../../ui/Page.tsx';
import { usePreload } from '../../ui/use-preload.ts';
import { loadRoom } from '../room/load-room.ts';
import { ArrivedCard } from './ArrivedCard.tsx';
import { DelayButton } from './DelayButton.tsx';
import { texts } from './texts.ts';
import { type OpenDialog, WaitDialog } from './WaitMenu.tsx';

/** Refetch interval in case a push was lost, ms. */
const refetchIntervalMs = 60_000;

/** WAIT-1, WAIT-2, STATE-7: who is waiting and for how long, longest first. */
export function WaitingRoomPage() {
  usePreload(loadRoom);
  const signIn = useSignIn();
  const arrived = useRead(listArrived, undefined, { refetchInterval: refetchIntervalMs });
  const mayConnect = signIn.status === 'in' && may(signIn.caller, 'appointment.instant');
  const add = { label: texts.add, to: to.instantAppointment() };
  const { data } = arrived;
  const [dialog, setDialog] = useState<OpenDialog>();
  return (
    <Page
      title={texts.title}
      actions={<DelayButton waiting={data?.data.filter(({ providerPresent }) => providerPresent === null) ?? []} />}
      {...(mayConnect && { add })}
    >
      {arrived.error && <LoadError error={arrived.error} onRetry={() => void arrived.refetch()} />}
      {data?.data.length === 0 ? (
        <EmptyState
          icon={<MeetingRoomOutlinedIcon />}
          text={texts.empty}
          hint={texts.emptyHint}
          action={
            mayConnect && (
              <Button look="primary" to={add.to}>
                {add.label}
              </Button>
            )
          }
        />
      ) : data ? (
        <Cards cards={data.data} serverAhead={Date.parse(data.now) - arrived.dataUpdatedAt} onOpen={setDialog} />
      ) : arrived.isPending ? (
        <Box sx={grid}>
          {[0, 1, 2].map((card) => (
            <Skeleton key={card} variant="rounded" height={196} />
          ))}
        </Box>
      ) : null}
      {dialog && <WaitDialog dialog={dialog} onClose={() => setDialog(undefined)} />}
    </Page>
  );
}

interface CardsProps {
  cards: readonly Arrived[];
  /** How far the server's clock is ahead of this device's, ms. */
  serverAhead: number;
  onOpen: (dialog: OpenDialog) => void;
}

function Cards({ cards, serverAhead, onOpen }: CardsProps) {
  const now = useSecond() + serverAhead;
  const zone = useCompany()?.timeZone ?? ownZone();
  const ordered = useMemo(() => waitingOrder(cards), [cards]);
  return (
    <Box component="ul" aria-label={texts.list} sx={{ ...grid, m: 0, p: 0, listStyle: 'none' }}>
      {ordered.map((card) => (
        <li key={card.appointmentUid}>
          <ArrivedCard card={card} now={now} zone={zone} onOpen={onOpen} />
        </li>
      ))}
    </Box>
  );
}

/** This device's time, ms; updated every second. */
function useSecond(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

const grid = {
  display: 'grid',
  gap: 2,
  gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 288px), 1fr))',
} as const;
