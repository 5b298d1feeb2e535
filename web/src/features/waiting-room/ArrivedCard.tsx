import { Box, Card, CardActionArea, Chip, Typography } from '@mui/material';
import type { Arrived } from '@roomside/contract/waiting-room/calls.ts';
import { waitSeconds } from '@roomside/contract/waiting-room/waiting.ts';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { to } from '../../paths.ts';
import { formatTime, ownZone } from '../../time/time.ts';
import { wordsForCheck } from './check-words.ts';
import { texts } from './texts.ts';
import { type OpenDialog, WaitMenu } from './WaitMenu.tsx';
import { waitWords } from './wait-words.ts';

interface Props {
  card: Arrived;
  /** The server's time, ms. */
  now: number;
  zone: string;
  onOpen: (dialog: OpenDialog) => void;
}

/** WAIT-1: a patient in the waiting room. The card leads to the room; its menu helps a patient who waits. */
export function ArrivedCard({ card, now, zone, onOpen }: Props) {
  const { patient, doctor, appointmentUid, startDate, patientPresent, providerPresent, held, expectedAt } = card;
  const isWaiting = providerPresent === null;
  const time = (instant: string) => formatTime(instant, zone, ownZone());
  return (
    <Card sx={{ position: 'relative', height: '100%', ...(isWaiting && { borderColor: 'primary.main' }) }}>
      <CardActionArea component={Link} to={to.appointment({ uid: appointmentUid })} sx={{ height: '100%', p: 2.5 }}>
        <Box sx={{ display: 'flex', alignItems: 'baseline', gap: 2, mb: 1.5, pr: isWaiting ? 4 : 0 }}>
          <Typography variant="h2" sx={{ mr: 'auto', overflowWrap: 'anywhere' }}>
            {patient.firstName} {patient.lastName}
          </Typography>
          {!isWaiting && <Chip size="small" label={texts.withProvider} />}
          {held && <Chip size="small" color="warning" label={texts.held} />}
        </Box>
        <Box
          component="dl"
          sx={{
            display: 'grid',
            gridTemplateColumns: 'auto 1fr',
            columnGap: 2,
            rowGap: 0.5,
            m: 0,
            fontSize: 'var(--rs-size-md)',
          }}
        >
          <Fact name={texts.provider}>
            {doctor.firstName} {doctor.lastName}
          </Fact>
          <Fact name={texts.scheduled}>{time(startDate)}</Fact>
          <Fact name={texts.arrived}>{time(patientPresent)}</Fact>
          <Fact name={isWaiting ? texts.wait : texts.waited} strong={isWaiting}>
            {waitWords(waitSeconds(card, now))}
          </Fact>
          {expectedAt !== null && <Fact name={texts.expectedLabel}>{texts.expected(time(expectedAt))}</Fact>}
          {card.deviceCheck && <Fact name={texts.device}>{wordsForCheck(card.deviceCheck)}</Fact>}
        </Box>
      </CardActionArea>
      {isWaiting && <WaitMenu card={card} onOpen={onOpen} />}
    </Card>
  );
}

function Fact({ name, strong = false, children }: { name: string; strong?: boolean; children: ReactNode }) {
  return (
    <>
      <Box component="dt" sx={{ color: 'text.secondary' }}>
        {name}
      </Box>
      <Box component="dd" sx={{ m: 0, fontVariantNumeric: 'tabular-nums', fontWeight: strong ? 650 : 400 }}>
        {children}
      </Box>
    </>
  );
}
