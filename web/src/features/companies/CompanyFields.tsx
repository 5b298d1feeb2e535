import { Box, TextField, Typography } from '@mui/material';
import type { ResultOf } from '@roomside/contract/call.ts';
import type { getCompany } from '@roomside/contract/companies/calls.ts';
import { getFirstSteps, noteBookingLink } from '@roomside/contract/first-steps/calls.ts';
import { hourBounds, limits, slotMinutes } from '@roomside/contract/limits.ts';
import { useRef } from 'react';
import { useWatch } from 'react-hook-form';
import { useSignIn } from '../../api/sign-in.ts';
import { useChange } from '../../api/use-call.ts';
import { DateInput } from '../../form/DateInput.tsx';
import { MoneyInput } from '../../form/MoneyInput.tsx';
import { SelectInput } from '../../form/SelectInput.tsx';
import { SwitchInput } from '../../form/SwitchInput.tsx';
import { EmailInput, TextInput } from '../../form/TextInput.tsx';
import { ZoneInput } from '../../form/ZoneInput.tsx';
import { absoluteLink, to } from '../../paths.ts';
import { formatMinute } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { Pair, Section } from '../../ui/Section.tsx';
import type { CompanyValues } from './company-form.ts';
import { PaymentFields } from './PaymentFields.tsx';
import { SecondFactorFields } from './SecondFactorFields.tsx';
import { texts } from './texts.ts';

const hours = Array.from({ length: hourBounds.max - hourBounds.min + 1 }, (_, index) => hourBounds.min + index).map(
  (value) => ({ value, label: formatMinute(value * 60) }),
);
const lengths = slotMinutes.map((value) => ({ value, label: texts.minutes(value) }));

interface Props {
  company: ResultOf<typeof getCompany>;
  isSuper: boolean;
}

/** COMPANY-5, VALID-12 to VALID-19; some fields are for a Super only (ROLE-6). */
export function CompanyFields({ company, isSuper }: Props) {
  return (
    <>
      <Section title={texts.clinic}>
        <TextInput name="companyName" label={texts.companyName} maxLength={limits.name} required />
        <ZoneInput name="timeZone" />
      </Section>
      <Section title={texts.calendar}>
        <Pair>
          <SelectInput name="startHour" label={texts.startHour} options={hours} hint={texts.hoursHint} />
          <SelectInput name="endHour" label={texts.endHour} options={hours} />
        </Pair>
        <Pair>
          <SelectInput name="slot" label={texts.slot} options={lengths} hint={texts.slotHint} />
          <SelectInput name="duration" label={texts.duration} options={lengths} hint={texts.durationHint} />
        </Pair>
        <Pair>
          <TextInput name="limit" label={texts.limit} hint={texts.limitHint} digits maxLength={3} required />
          <MoneyInput
            name="selfPayFee"
            label={texts.selfPayFee}
            hint={texts.selfPayFeeHint}
            currency={company.currency}
          />
        </Pair>
      </Section>
      <Section title={texts.messages}>
        <Pair>
          <TextInput
            name="remindBeforeMin"
            label={texts.remindBeforeMin}
            hint={texts.remindHint}
            digits
            maxLength={2}
            required
          />
          <TextInput
            name="notifyUsersMin"
            label={texts.notifyUsersMin}
            hint={texts.notifyUsersHint}
            digits
            maxLength={3}
            required
          />
        </Pair>
        <SwitchInput name="notifyProviders" label={texts.notifyProviders} hint={texts.notifyProvidersHint} />
      </Section>
      <Section title={texts.booking}>
        <SwitchInput name="genericSchedule" label={texts.genericSchedule} hint={texts.genericScheduleHint} />
        <SwitchInput name="confirmBookings" label={texts.confirmBookings} hint={texts.confirmBookingsHint} />
        {company.companyUid && <BookingLink companyUid={company.companyUid} />}
        <TextInput name="noticeHours" label={texts.noticeHours} hint={texts.noticeHint} digits maxLength={3} required />
        {isSuper && <SwitchInput name="allowReq" label={texts.allowReq} hint={texts.allowReqHint} />}
      </Section>
      <Section title={texts.room}>
        <SwitchInput name="allowRecording" label={texts.allowRecording} hint={texts.allowRecordingHint} />
      </Section>
      {company.companyId !== 0 && <PaymentFields hasPassword={company.hasPmtPassword} />}
      <SecondFactorFields />
      <Section title={texts.license}>
        <Pair>
          <TextInput
            name="providerCount"
            label={texts.providerCount}
            hint={texts.providerCountHint}
            digits
            maxLength={4}
            required
            readOnly={!isSuper}
          />
          {isSuper && <DateInput name="expirationDate" label={texts.expirationDate} required />}
        </Pair>
        {isSuper && <SwitchInput name="disabled" label={texts.disabled} hint={texts.disabledHint} />}
      </Section>
      {isSuper && (
        <Section title={texts.support}>
          <Pair>
            <EmailInput name="supportEmail" label={texts.supportEmail} />
            <TextInput
              name="smsPhone"
              label={texts.smsPhone}
              hint={texts.smsPhoneHint}
              digits
              maxLength={limits.phone}
              counter
            />
          </Pair>
          <TextInput
            name="frontEndUrl"
            label={texts.frontEndUrl}
            hint={texts.frontEndUrlHint}
            maxLength={limits.frontEndUrl}
            required
          />
        </Section>
      )}
    </>
  );
}

/** COMPANY-7: the booking link; says when it takes no bookings. */
function BookingLink({ companyUid }: { companyUid: string }) {
  const isOn = useWatch<CompanyValues, 'genericSchedule'>({ name: 'genericSchedule' });
  const link = absoluteLink(to.patientBook({ companyUid: companyUid.replaceAll('-', '') }));
  const signIn = useSignIn();
  const note = useChange(noteBookingLink, { invalidates: [getFirstSteps], onError: () => true });
  const field = useRef<HTMLInputElement>(null);
  async function copy() {
    if (!(await copyText(link, texts.copied))) return field.current?.select();
    // One of the clinic's first steps.
    if (signIn.status === 'in' && signIn.caller === 'A') note.mutate({});
  }
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1.5, alignItems: 'end' }}>
      <TextField
        label={texts.link}
        value={link}
        inputRef={field}
        sx={{ flex: '1 1 320px' }}
        slotProps={{ input: { readOnly: true } }}
        onFocus={(event) => event.target.select()}
      />
      <Button look="secondary" onClick={() => void copy()}>
        {texts.copy}
      </Button>
      {!isOn && (
        <Typography variant="caption" color="textSecondary" sx={{ flex: '1 0 100%' }}>
          {texts.linkOff}
        </Typography>
      )}
    </Box>
  );
}
