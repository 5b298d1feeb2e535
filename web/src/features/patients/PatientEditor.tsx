import { Alert, Box, Tooltip } from '@mui/material';
import { limits } from '@roomside/contract/limits.ts';
import {
  getPatient,
  listPatients,
  type PatientBody,
  patientBody,
  savePatient,
} from '@roomside/contract/patients/calls.ts';
import { may } from '@roomside/contract/permissions.ts';
import { type ReactNode, useState } from 'react';
import { useFieldArray } from 'react-hook-form';
import { useLocation } from 'react-router';
import { isRefusal } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { useSignIn } from '../../api/sign-in.ts';
import { isClinicStaff } from '../../api/sign-in-state.ts';
import { useChange } from '../../api/use-call.ts';
import { useCompany } from '../../api/use-company.ts';
import { beginSave, isStored } from '../../form/begin-save.ts';
import { DateInput } from '../../form/DateInput.tsx';
import { Form } from '../../form/Form.tsx';
import { PhoneInput } from '../../form/PhoneInput.tsx';
import { AddRow, RemoveRow } from '../../form/RowButtons.tsx';
import { StaleNotice } from '../../form/StaleNotice.tsx';
import { SubmitButton } from '../../form/SubmitButton.tsx';
import { EmailInput, TextInput } from '../../form/TextInput.tsx';
import { useContractForm } from '../../form/use-contract-form.ts';
import { useStale } from '../../form/use-stale.ts';
import { useUnsaved } from '../../form/use-unsaved.ts';
import { useNavigateAfterCall } from '../../page-of-call.ts';
import { to } from '../../paths.ts';
import { formatDate, ownZone, today } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { later } from '../../ui/later.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pair, Section } from '../../ui/Section.tsx';
import { toast } from '../../ui/toast.ts';
import { useInstantAppointment } from '../appointments/use-instant-appointment.ts';
import { toForm } from './patient-form.ts';
import { texts } from './texts.ts';

/** Loaded when it opens. */
const EraseDialog = later(async () => (await import('./EraseDialog.tsx')).EraseDialog);

interface Props {
  read: PatientBody;
  /** Shown above the form: a decision that staff have to make. */
  notice?: ReactNode;
  children?: ReactNode;
}

/** One patient's record: a form, links, and the patient's lists below (PATIENT-1 to 3). */
export function PatientEditor({ read, notice, children }: Props) {
  const navigate = useNavigateAfterCall();
  const { pathname } = useLocation();
  const signIn = useSignIn();
  const zone = useCompany()?.timeZone ?? ownZone();
  const [name, setName] = useState(nameOf(read));
  const form = useContractForm(patientBody, { defaultValues: read, mode: 'onBlur' });
  const stale = useStale(form);
  useUnsaved(form);
  const save = useChange(savePatient, {
    invalidates: [listPatients, getPatient],
    makes: ({ body }) => (body.patientId > 0 ? undefined : 'patient'),
    onError: () => true,
  });

  async function submit(body: PatientBody) {
    const { shown, takeOver } = beginSave(form);
    async function done(saved: PatientBody) {
      takeOver(saved);
      stale.clear();
      setName(nameOf(saved));
      const own = to.patientEdit({ id: saved.patientId });
      toast.success(texts.saved, own === pathname ? {} : { across: 'next' });
      await navigate(own, { replace: true });
    }
    try {
      await done({ ...body, ...(await save.mutateAsync({ body })) });
    } catch (error) {
      if (!isRefusal(error, 'stale')) throw error;
      const fresh = toForm(await send(getPatient, { params: { patientId: read.patientId } }));
      if (isStored(shown, fresh)) await done(fresh);
      else stale.merge(fresh);
    }
  }

  return (
    <Page title={name || texts.newPatient} documentTitle={name ? texts.patient : texts.newPatient} width="form">
      <Box sx={{ display: 'grid', gap: 3, gridTemplateColumns: 'minmax(0, 1fr)' }}>
        {notice}
        <Form form={form} onSubmit={submit}>
          <StaleNotice stale={stale} labels={{ ...texts, patientPhones: texts.phones }} show={show} />
          {!isClinicStaff(signIn) && <Alert severity="info">{texts.noCompany}</Alert>}
          <Section title={texts.record}>
            <Pair>
              <TextInput name="firstName" label={texts.firstName} maxLength={limits.name} required autoFocus={!name} />
              <TextInput name="lastName" label={texts.lastName} maxLength={limits.name} required />
            </Pair>
            <Pair>
              <DateInput name="doB" label={texts.doB} required farAway min="1900-01-01" max={today(zone)} />
              <TextInput
                name="externalId"
                label={texts.externalId}
                maxLength={limits.patientExternalId}
                hint={texts.externalIdHint}
              />
            </Pair>
          </Section>
          <Section title={texts.contact}>
            <EmailInput name="email" label={texts.email} />
            <Phones form={form} />
          </Section>
          <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
            <SubmitButton disabled={!isClinicStaff(signIn)} />
            {read.patientId > 0 && <WaysOn patientId={read.patientId} name={name} />}
            <Button look="quiet" to={to.patientList()}>
              {texts.all}
            </Button>
          </Box>
        </Form>
        {children}
      </Box>
    </Page>
  );
}

const nameOf = ({ firstName, lastName }: PatientBody) => `${firstName} ${lastName}`.trim();

/** Formats a stored value for the choice between two versions. */
function show(name: keyof PatientBody, stored: Partial<PatientBody>): string | undefined {
  if (name === 'patientPhones') return stored.patientPhones?.map(({ phone }) => phone).join(', ');
  return name === 'doB' && stored.doB ? formatDate(stored.doB) : undefined;
}

/** VALID-24: an existing row must be filled. */
function Phones({ form }: { form: ReturnType<typeof useContractForm<PatientBody>> }) {
  const { fields, append, remove } = useFieldArray({ control: form.control, name: 'patientPhones' });
  // VALID-25 is shown at the email and depends on the phones.
  const checkContact = () => {
    if (form.formState.isSubmitted) void form.trigger('email');
  };
  return (
    <>
      {fields.map(({ id }, index) => (
        <Box key={id} sx={{ display: 'flex', alignItems: 'flex-start', gap: 1 }}>
          <PhoneInput name={`patientPhones.${index}.phone`} label={texts.phone(index)} required />
          <Box sx={{ mt: 0.75 }}>
            <RemoveRow
              of="patientPhones"
              label={texts.removePhone(index)}
              onRemove={() => {
                remove(index);
                checkContact();
              }}
            />
          </Box>
        </Box>
      ))}
      {fields.length < limits.patientPhones && (
        <AddRow
          of="patientPhones"
          label={texts.addPhone}
          onAdd={() => {
            append({ phone: '' });
            checkContact();
          }}
        />
      )}
    </>
  );
}

/** PATIENT-1: actions for a stored patient. */
function WaysOn({ patientId, name }: { patientId: number; name: string }) {
  const [isErasing, setErasing] = useState(false);
  const signIn = useSignIn();
  const instant = useInstantAppointment();
  const mayConnect = signIn.status === 'in' && may(signIn.caller, 'appointment.instant');
  return (
    <>
      <Button look="secondary" to={to.appointmentEdit({ patient: patientId, id: 0 })}>
        {texts.newAppointment}
      </Button>
      <Tooltip title={mayConnect ? '' : texts.instantWho}>
        <span>
          <Button
            look="secondary"
            disabled={!mayConnect}
            loading={instant.isStarting}
            onClick={() => void instant.startFor(patientId)}
          >
            {texts.instant}
          </Button>
        </span>
      </Tooltip>
      <Button look="secondary" to={to.photoList({ patient: patientId })}>
        {texts.photos}
      </Button>
      {signIn.status === 'in' && may(signIn.caller, 'patient.erase') && (
        <Button look="danger" onClick={() => setErasing(true)}>
          {texts.erase.open}
        </Button>
      )}
      {isErasing && <EraseDialog patientId={patientId} name={name} onClose={() => setErasing(false)} />}
      {signIn.status === 'in' && may(signIn.caller, 'audit.read') && (
        <Button look="quiet" to={to.adminAuditOf({ patient: patientId })}>
          {texts.whoHasSeen}
        </Button>
      )}
    </>
  );
}
