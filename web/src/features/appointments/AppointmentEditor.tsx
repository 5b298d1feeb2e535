import CheckCircleOutlinedIcon from '@mui/icons-material/CheckCircleOutlined';
import VideocamOutlinedIcon from '@mui/icons-material/VideocamOutlined';
import { Alert, Box, Link, type Theme, Tooltip, Typography, useMediaQuery } from '@mui/material';
import type { Appointment, getAppointment } from '@roomside/contract/appointments/calls.ts';
import { isOver } from '@roomside/contract/appointments/over.ts';
import { limits } from '@roomside/contract/limits.ts';
import { fromCents, toCents } from '@roomside/contract/money.ts';
import { may } from '@roomside/contract/permissions.ts';
import { listDoctors } from '@roomside/contract/users/calls.ts';
import { useState } from 'react';
import { FormProvider, useWatch } from 'react-hook-form';
import { Link as RouterLink } from 'react-router';
import type { InputOf } from '../../api/send.ts';
import { useSignIn } from '../../api/sign-in.ts';
import { useRead } from '../../api/use-call.ts';
import { useCompany } from '../../api/use-company.ts';
import { DateInput, TimeInput } from '../../form/DateInput.tsx';
import { Form } from '../../form/Form.tsx';
import { MoneyInput } from '../../form/MoneyInput.tsx';
import { SelectInput } from '../../form/SelectInput.tsx';
import { StaleNotice } from '../../form/StaleNotice.tsx';
import { SubmitButton } from '../../form/SubmitButton.tsx';
import { TextInput } from '../../form/TextInput.tsx';
import { to } from '../../paths.ts';
import {
  dateOf,
  formatDate,
  formatDateTime,
  formatTime,
  now,
  ownZone,
  sameClock,
  wallToInstant,
  zoneLabel,
} from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { formatMoney } from '../../ui/money.ts';
import { Page } from '../../ui/Page.tsx';
import { Pair, Section } from '../../ui/Section.tsx';
import { FormSkeleton } from '../../ui/Skeletons.tsx';
import { WhenRead } from '../../ui/WhenRead.tsx';
import { DropTarget } from '../files/DropTarget.tsx';
import { StaffFiles } from '../files/FileList.tsx';
import { texts as fileTexts } from '../files/texts.ts';
import { useUploads } from '../files/uploads-of.ts';
import { NotificationLogs, ShareableLink, VisitFacts } from './AppointmentPanels.tsx';
import { type AppointmentValues, isAmount, isComplete } from './appointment-form.ts';
import { Cancellation } from './Cancellation.tsx';
import { texts } from './edit-texts.ts';
import { NotesPanel } from './NotesPanel.tsx';
import { PatientInput, type Person } from './PatientInput.tsx';
import { RefundDialog } from './RefundDialog.tsx';
import { SaveNotice } from './SaveNotice.tsx';
import { SlotPicker } from './SlotPicker.tsx';
import { texts as listTexts } from './texts.ts';
import { useAppointmentForm } from './use-appointment-form.ts';

interface Props {
  live: Appointment;
  input: InputOf<typeof getAppointment>;
}

/** One appointment: its form, its history and its actions (APPT-1 to APPT-5). */
export function AppointmentEditor({ live, input }: Props) {
  const { form, stale, base, isNew, submit, slot, setSlot, cancel, invite, refunded, providerPicked } =
    useAppointmentForm(live, input);
  const show = useShow(base);
  const isLive = !isNew && !live.cancelled;
  const [isRead, setRead] = useState(false);
  const isWide = useMediaQuery<Theme>((theme) => theme.breakpoints.up('lg'), { noSsr: true });
  const isPhone = useMediaQuery<Theme>((theme) => theme.breakpoints.down('sm'), { noSsr: true });
  const fields = (
    <Box key="fields" sx={{ gridRow: { lg: 'span 2' } }}>
      <Form
        id={formId}
        form={form}
        onSubmit={async (values) => {
          await submit(values);
        }}
      >
        <StaleNotice
          stale={stale}
          labels={{ ...texts, patientId: texts.patient, doctorId: texts.provider, collected: texts.collectedAmount }}
          show={show}
        />
        <Visit
          base={base}
          live={live}
          slot={slot}
          onSlot={setSlot}
          onProvider={(doctor) => void providerPicked(doctor)}
          onRead={() => setRead(true)}
        />
        <Payment live={live} onRefunded={refunded} />
        <Section title={texts.more}>
          <TextInput
            name="welcomeMessage"
            label={texts.welcomeMessage}
            hint={texts.welcomeHint}
            maxLength={limits.welcomeMessage}
            counter
            multiline
            rows={2}
          />
          <TextInput
            name="externalId"
            label={texts.externalId}
            hint={texts.externalIdHint}
            maxLength={limits.appointmentExternalId}
          />
        </Section>
        {!isNew && <Cancellation cancelled={base.cancelled} onCancel={() => void cancel()} />}
      </Form>
    </Box>
  );
  const visit = !isNew && (
    <Box key="visit" sx={panels}>
      <VisitFacts live={live} onInvite={() => void invite()} />
      {isLive && <ShareableLink accessCode={live.accessCode} />}
      <Notes live={live} />
    </Box>
  );
  const records = !isNew && (
    <Box key="records" sx={panels}>
      <Files live={live} />
      <NotificationLogs live={live} />
    </Box>
  );
  // A new appointment leads back to the day that it was begun from.
  const day = isNew ? input.query?.date : dateOf(live.startDate, live.config.timeZone);
  return (
    <Page
      title={isNew ? texts.newTitle : titleOf(live, isPhone)}
      documentTitle={isNew ? texts.newTitle : texts.title}
      actions={isLive && <EnterRoom live={live} />}
    >
      {!isNew && live.cancelled && (
        <Alert severity="warning" sx={{ mb: 3 }}>
          {texts.cancelledBanner}
        </Alert>
      )}
      <WhenRead isRead={isRead} waiting={<FormSkeleton sections={[4, 2, 2]} />}>
        <Box sx={[clearOfBars, isNew ? oneColumn : { ...columns, gridTemplateRows: { lg: 'auto 1fr' } }]}>
          {isWide ? [fields, visit, records] : [visit, fields, records]}
        </Box>
        <Box sx={bar} data-bottom-bar>
          <Box sx={isNew ? oneColumn : columns}>
            <Box sx={{ display: 'flex', flexWrap: 'wrap', justifyContent: 'space-between', gap: 1 }}>
              <FormProvider {...form}>
                {!isNew && <SaveNotice base={base} live={live} slot={slot} />}
                <Button
                  look="quiet"
                  sx={{ ml: -2.25 }}
                  to={day === undefined ? to.appointmentList() : to.appointmentListDay({ date: day })}
                >
                  {texts.all}
                </Button>
                <SubmitButton form={formId} />
              </FormProvider>
            </Box>
          </Box>
        </Box>
      </WhenRead>
    </Page>
  );
}

const formId = 'appointment';

/** 'Olivia O'Brien · 11/24/2026, 9:00 AM · Scheduled'; on a phone without the status, which is the first line of the page. */
function titleOf({ patient, startDate, config, status }: Appointment, isPhone: boolean): string {
  const name = patient ? `${patient.firstName} ${patient.lastName}` : texts.title;
  const parts = [name, formatDateTime(startDate, config.timeZone, ownZone())];
  return (isPhone ? parts : [...parts, listTexts.status[status]]).join(' · ');
}

function Notes({ live: { appointmentId, notes, notesVersion } }: { live: Appointment }) {
  const signIn = useSignIn();
  if (signIn.status !== 'in') return null;
  return (
    <NotesPanel
      userId={Number(signIn.claims.sub)}
      appointmentId={appointmentId}
      notes={notes}
      notesVersion={notesVersion}
    />
  );
}

function Files({ live: { appointmentId, patientId, appointmentUid } }: { live: Appointment }) {
  const uploads = useUploads({ appointmentId, patientId });
  return (
    <Section title={fileTexts.title}>
      <StaffFiles appointmentId={appointmentId} patientId={patientId} session={appointmentUid} />
      <DropTarget onFiles={(files) => uploads.add(files)} />
    </Section>
  );
}

const oneColumn = { maxWidth: 880 } as const;

/** The form, and the panels beside it; on narrow screens the panels of the visit come first. */
const columns = {
  display: 'grid',
  gap: 3,
  alignItems: 'start',
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'minmax(0, 1fr) minmax(0, 420px)' },
} as const;

const panels = {
  display: 'grid',
  gap: 2.5,
  gridTemplateColumns: 'minmax(0, 1fr)',
} as const;

/** Stays at the lower edge of the window. Save stands at its end, away from the button that cancels. */
const bar = {
  position: 'sticky',
  bottom: 0,
  zIndex: 2,
  mt: 3,
  mx: { xs: -2, sm: -3 },
  mb: { xs: -2, sm: -3 },
  px: { xs: 2, sm: 3 },
  pt: 1,
  pb: 'max(8px, env(safe-area-inset-bottom))',
  bgcolor: 'background.default',
  borderTop: '1px solid var(--rs-line)',
} as const;

/** What takes the focus is not scrolled under the bars. */
const clearOfBars = { '& :is(input, textarea, button, a, [tabindex])': { scrollMarginBlock: '5rem' } } as const;

function EnterRoom({ live }: { live: Appointment }) {
  const isWaiting = live.patientPresent !== null;
  const tooltip = isWaiting ? listTexts.waiting : listTexts.enter;
  return (
    <Tooltip title={tooltip}>
      <Button
        look={isWaiting ? 'urgent' : isOver(live, now()) ? 'secondary' : 'primary'}
        to={to.appointment({ uid: live.appointmentUid })}
        aria-label={texts.enterRoom}
        sx={{ flex: 'none', minWidth: 44, px: { xs: 1.25, sm: 2.25 }, gap: 1 }}
      >
        <VideocamOutlinedIcon fontSize="small" />
        <Box component="span" sx={{ display: { xs: 'none', sm: 'inline' } }}>
          {texts.enterRoom}
        </Box>
      </Button>
    </Tooltip>
  );
}

interface VisitProps {
  base: Appointment;
  live: Appointment;
  /** The start that was chosen last. */
  slot: string;
  onSlot: (start: string) => void;
  onProvider: (doctor: number) => void;
  /** The first slots were read, or there are none. */
  onRead: () => void;
}

function Visit({ base, live, slot, onSlot, onProvider, onRead }: VisitProps) {
  const signIn = useSignIn();
  const doctors = useRead(listDoctors, undefined, { staleTime: 60_000 }).data?.data ?? [];
  const patientId = useWatch<AppointmentValues, 'patientId'>({ name: 'patientId' });
  const known = [base, live].flatMap((one): Person[] =>
    one.patient ? [{ patientId: one.patientId, ...one.patient }] : [],
  );
  // The appointment's provider may no longer be a provider.
  const own = base.doctor && !doctors.some(({ userId }) => userId === base.doctor?.userId) ? [base.doctor] : [];
  const mayAddProvider = signIn.status === 'in' && may(signIn.caller, 'admin.area');
  return (
    <Section title={texts.visit}>
      <div>
        <PatientInput known={known} />
        <Link component={RouterLink} to={to.patientEdit({ id: patientId || 0 })} variant="body2" sx={below}>
          {patientId ? texts.openPatient : texts.addPatient}
        </Link>
      </div>
      <div>
        <SelectInput
          name="doctorId"
          label={texts.provider}
          required
          options={[...doctors, ...own].map(({ userId, firstName, lastName }) => ({
            value: userId,
            label: `${firstName} ${lastName}`,
          }))}
          onPicked={onProvider}
        />
        {mayAddProvider && (
          <Link component={RouterLink} to={to.adminUserAddProvider()} variant="body2" sx={below}>
            {texts.addProvider}
          </Link>
        )}
      </div>
      <Pair>
        <DateInput name="date" label={texts.date} required />
        <TimeInput name="time" label={texts.time} required stepMinutes={Math.min(base.config.slot, 30)} />
      </Pair>
      <ZoneHint zone={base.config.timeZone} />
      <SlotPicker
        appointmentId={base.appointmentId}
        zone={base.config.timeZone}
        slot={slot}
        onSlot={onSlot}
        onRead={onRead}
      />
      <Pair>
        <TextInput name="minutes" label={texts.minutes} digits maxLength={3} required />
      </Pair>
    </Section>
  );
}

const below = {
  display: 'inline-flex',
  alignItems: 'center',
  minHeight: 28,
  mt: 0.5,
  '@media (max-width: 749px), (pointer: coarse)': { minHeight: 44 },
} as const;

/** Names the time zone of the fields, and the reader's own time where the two differ. */
function ZoneHint({ zone }: { zone: string }) {
  const [date, time] = useWatch<AppointmentValues, ['date', 'time']>({ name: ['date', 'time'] });
  const start = isComplete({ date, time }) ? wallToInstant(date, time, zone) : undefined;
  const differs = start !== undefined && !sameClock(start, zone, ownZone());
  return (
    <Typography variant="body2" color="textSecondary" sx={{ mt: -1 }}>
      {differs ? texts.zoneElsewhere(zoneLabel(zone), formatTime(start, ownZone(), zone)) : texts.zone(zoneLabel(zone))}
    </Typography>
  );
}

function Payment({ live, onRefunded }: { live: Appointment; onRefunded: () => Promise<void> }) {
  const signIn = useSignIn();
  const currency = useCompany()?.currency ?? 'USD';
  const readOnly = !(signIn.status === 'in' && may(signIn.caller, 'fee.write'));
  const [fee, collected] = useWatch<AppointmentValues, ['fee', 'collected']>({ name: ['fee', 'collected'] });
  return (
    <Section title={texts.payment}>
      <Pair>
        <MoneyInput name="fee" label={texts.fee} currency={currency} readOnly={readOnly} />
        <MoneyInput name="collected" label={texts.collected} currency={currency} readOnly={readOnly} />
      </Pair>
      <Balance fee={fee} collected={collected} currency={currency} />
      {readOnly && (
        <Typography variant="body2" color="textSecondary">
          {texts.feeReadOnly}
        </Typography>
      )}
      <PaymentActions live={live} mayRefund={!readOnly} onRefunded={onRefunded} />
    </Section>
  );
}

interface PaymentActionsProps {
  live: Appointment;
  mayRefund: boolean;
  onRefunded: () => Promise<void>;
}

/** The receipt of what was paid, and returning it. */
function PaymentActions({ live, mayRefund, onRefunded }: PaymentActionsProps) {
  const [isAsking, setAsking] = useState(false);
  const hasReceipt = toCents(live.collected) > 0 || live.externalTransaction !== '';
  const isRefundable = mayRefund && live.refundable;
  if (!hasReceipt && !isRefundable && !isAsking) return null;
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
      {hasReceipt && (
        <Button look="secondary" to={to.receipt({ uid: live.appointmentUid })}>
          {texts.receipt}
        </Button>
      )}
      {isRefundable && (
        <Button look="danger" onClick={() => setAsking(true)}>
          {texts.refund.open}
        </Button>
      )}
      {isAsking && <RefundDialog live={live} onClose={() => setAsking(false)} onRefunded={onRefunded} />}
    </Box>
  );
}

/** STATE-3: fully collected when collected >= fee. */
function Balance({ fee, collected, currency }: { fee: string; collected: string; currency: string }) {
  if (!isAmount(fee) || !isAmount(collected) || toCents(fee) === 0) return null;
  const left = toCents(fee) - toCents(collected);
  if (left > 0) return <Typography variant="body2">{texts.toPay(formatMoney(fromCents(left), currency))}</Typography>;
  return (
    <Typography variant="body2" sx={{ display: 'flex', alignItems: 'center', gap: 0.75 }}>
      <CheckCircleOutlinedIcon fontSize="small" color="success" />
      {texts.fullyCollected}
    </Typography>
  );
}

/** Formats a stored value for the choice between two versions. */
function useShow(base: Appointment) {
  const currency = useCompany()?.currency ?? 'USD';
  return (name: keyof AppointmentValues, stored: Partial<AppointmentValues>): string | undefined => {
    switch (name) {
      case 'patientId':
        return base.patient ? `${base.patient.lastName}, ${base.patient.firstName}` : '';
      case 'doctorId':
        return base.doctor ? `${base.doctor.firstName} ${base.doctor.lastName}` : '';
      case 'date':
        return formatDate(stored.date ?? '');
      case 'time':
        return formatTime(`2000-01-01T${stored.time}:00Z`, 'UTC');
      case 'fee':
      case 'collected':
        return formatMoney(stored[name] ?? '', currency);
      case 'cancelled':
        return stored.cancelled ? texts.yes : texts.no;
      default:
        return undefined;
    }
  };
}
