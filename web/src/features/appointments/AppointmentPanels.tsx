import ForwardToInboxOutlinedIcon from '@mui/icons-material/ForwardToInboxOutlined';
import { Box, Typography } from '@mui/material';
import type { Appointment } from '@roomside/contract/appointments/calls.ts';
import { mayInvite } from '@roomside/contract/appointments/over.ts';
import { durationText } from '@roomside/contract/appointments/status.ts';
import { getVisitQuality } from '@roomside/contract/room/calls.ts';
import type { ReactNode } from 'react';
import { useRead } from '../../api/use-call.ts';
import { absoluteLink, to } from '../../paths.ts';
import { formatDateTime, formatTime, now, ownZone } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { CopyField } from '../../ui/CopyField.tsx';
import { Section } from '../../ui/Section.tsx';
import { wordsForConnection } from './connection-words.ts';
import { texts } from './edit-texts.ts';
import { StatusBadge } from './StatusBadge.tsx';

/** What has happened so far, and the actions. */
export function VisitFacts({ live, onInvite }: { live: Appointment; onInvite: () => void }) {
  const { timeZone } = live.config;
  const recordings = to.recordings({ id: live.appointmentId });
  return (
    <Section title={texts.facts}>
      <Box
        component="dl"
        sx={{
          display: 'grid',
          gridTemplateColumns: 'fit-content(60%) minmax(0, 1fr)',
          columnGap: 2,
          rowGap: 0.75,
          m: 0,
          fontSize: 'var(--rs-size-md)',
        }}
      >
        <Fact name={texts.status}>
          <StatusBadge status={live.status} statusTooltip={live.statusTooltip} long />
        </Fact>
        <Fact name={texts.arrived}>
          {live.patientPresent ? formatTime(live.patientPresent, timeZone, ownZone()) : texts.none}
        </Fact>
        <Fact name={texts.waited}>{durationText(live.waitTime) || texts.none}</Fact>
        <Fact name={texts.duration}>{durationText(live.duration) || texts.none}</Fact>
        {live.duration > 0 && <ConnectionFact uid={live.appointmentUid} />}
      </Box>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
        {mayInvite(live, now()) && (
          <Button look="secondary" startIcon={<ForwardToInboxOutlinedIcon />} onClick={onInvite}>
            {texts.invite}
          </Button>
        )}
        {live.recorded && (
          <Button look="secondary" to={recordings}>
            {texts.recordings}
          </Button>
        )}
      </Box>
    </Section>
  );
}

/** How sound and video arrived; nothing when that was not measured. */
function ConnectionFact({ uid }: { uid: string }) {
  const { data } = useRead(getVisitQuality, { params: { uid } });
  return data?.data ? <Fact name={texts.connection}>{wordsForConnection(data.data)}</Fact> : null;
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <Box component="dt" sx={{ color: 'text.secondary' }}>
        {name}
      </Box>
      <Box component="dd" sx={{ m: 0, fontVariantNumeric: 'tabular-nums' }}>
        {children}
      </Box>
    </>
  );
}

/** APPT-3: the patient's link; '' when the server cannot decrypt the code. */
export function ShareableLink({ accessCode }: { accessCode: string }) {
  return (
    <Section title={texts.link}>
      {accessCode === '' ? (
        <Typography color="text.secondary">{texts.linkLost}</Typography>
      ) : (
        <CopyField
          label={texts.link}
          value={absoluteLink(to.linkCode({ code: accessCode }))}
          hint={texts.linkHint}
          copy={texts.copy}
          copied={texts.copied}
        />
      )}
    </Section>
  );
}

/** The notifications of the appointment, latest first. */
export function NotificationLogs({ live }: { live: Appointment }) {
  const { timeZone } = live.config;
  return (
    <Section title={texts.logs}>
      {live.notificationLogs.length === 0 ? (
        <Typography variant="body2" color="textSecondary">
          {texts.noLogs}
        </Typography>
      ) : (
        <Box
          component="ul"
          sx={{ display: 'grid', gap: 1, m: 0, p: 0, listStyle: 'none', fontSize: 'var(--rs-size-md)' }}
        >
          {live.notificationLogs.map((log) => (
            <li key={log.notificationId}>
              {texts.log(texts.logKinds[log.kind], log.notificationMethod.name)}
              <Typography variant="body2" color={log.state === 'failed' ? 'error' : 'textSecondary'}>
                {log.sent ? formatDateTime(log.sent, timeZone, ownZone()) : texts.logStates[log.state]}
                {log.user && ` ${texts.logBy(`${log.user.firstName} ${log.user.lastName}`)}`}
              </Typography>
            </li>
          ))}
        </Box>
      )}
    </Section>
  );
}
