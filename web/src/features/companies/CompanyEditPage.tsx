import { Alert, Box } from '@mui/material';
import { getSignIn } from '@roomside/contract/auth/calls.ts';
import type { ResultOf } from '@roomside/contract/call.ts';
import { getCompany, getCompanySettings, listCompanies, saveCompany } from '@roomside/contract/companies/calls.ts';
import { getFirstSteps } from '@roomside/contract/first-steps/calls.ts';
import { listPaymentProcessors } from '@roomside/contract/payments/calls.ts';
import { processors } from '@roomside/contract/payments/processors.ts';
import { getScheduleSettings, listSchedule, listSlots } from '@roomside/contract/schedule/calls.ts';
import { useState } from 'react';
import { useParams } from 'react-router';
import { isRefusal } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { useSignIn } from '../../api/sign-in.ts';
import { useChange, useRead } from '../../api/use-call.ts';
import { beginSave, isStored } from '../../form/begin-save.ts';
import { Form } from '../../form/Form.tsx';
import { StaleNotice } from '../../form/StaleNotice.tsx';
import { SubmitButton } from '../../form/SubmitButton.tsx';
import { useContractForm } from '../../form/use-contract-form.ts';
import { useStale } from '../../form/use-stale.ts';
import { useUnsaved } from '../../form/use-unsaved.ts';
import { useGoBack } from '../../go-back.ts';
import { useNavigateAfterCall } from '../../page-of-call.ts';
import { to } from '../../paths.ts';
import { formatDate, formatMinute, ownZone, today } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { Page } from '../../ui/Page.tsx';
import { FormSkeleton } from '../../ui/Skeletons.tsx';
import { toast } from '../../ui/toast.ts';
import { ClinicFeedSection } from '../calendars/ClinicFeedSection.tsx';
import { CompanyFields } from './CompanyFields.tsx';
import { asStored, blankCompany, type CompanyValues, companyForm, toBody, toForm } from './company-form.ts';
import { texts } from './texts.ts';

type Company = ResultOf<typeof getCompany>;

/** /admin/company/edit: the user's own company; with an id, for a Super, any company, 0 = new (COMPANY-4 to COMPANY-7). */
export function CompanyEditPage() {
  const companyId = Number(useParams()['id'] ?? 0) || 0;
  const signIn = useSignIn();
  const isNew = companyId === 0 && signIn.status === 'in' && signIn.caller === 'Super';
  const company = useRead(getCompany, { params: { companyId } }, { staleTime: 0, enabled: !isNew });
  // The fields of the processor are above the buttons.
  const paymentProcessors = useRead(listPaymentProcessors, {});
  if (isNew) return <CompanyEditor key="new" stored={blankCompany(today(ownZone()))} isNew />;
  if (company.data && company.isFetchedAfterMount && paymentProcessors.isFetched)
    return <CompanyEditor key={company.data.companyId} stored={company.data} />;
  return (
    <Page title={texts.title} width="form">
      {company.error ? (
        <LoadError error={company.error} onRetry={() => void company.refetch()} />
      ) : (
        <FormSkeleton sections={[2, 6, 2]} />
      )}
    </Page>
  );
}

/** A stored value as the notice about a conflict shows it. */
function show(name: string, stored: Partial<CompanyValues>): string | undefined {
  switch (name) {
    case 'startHour':
    case 'endHour':
      return formatMinute((stored[name] ?? 0) * 60);
    case 'expirationDate':
    case 'secondFactorFrom':
      return stored[name] ? formatDate(stored[name]) : '';
    case 'refundRule':
      return stored.refundRule && texts.refundRules[stored.refundRule];
    case 'paymentProcessor':
      return stored.paymentProcessor ? processors[stored.paymentProcessor].displayName : texts.noProcessor;
    default:
      return undefined;
  }
}

function CompanyEditor({ stored, isNew = false }: { stored: Company; isNew?: boolean }) {
  const navigate = useNavigateAfterCall();
  const signIn = useSignIn();
  const isSuper = signIn.status === 'in' && signIn.caller === 'Super';
  const goBack = useGoBack(isSuper ? to.adminCompanies() : to.adminHome());
  const [read, setRead] = useState(stored);
  const form = useContractForm<CompanyValues>(companyForm(isSuper), { defaultValues: toForm(read) });
  const stale = useStale(form);
  useUnsaved(form);
  const invalidates = [
    // The time zone of all pages.
    getSignIn,
    getCompany,
    getFirstSteps,
    listCompanies,
    getCompanySettings,
    getScheduleSettings,
    listSchedule,
    listSlots,
  ] as const;
  const save = useChange(saveCompany, {
    invalidates,
    makes: () => (isNew ? 'company' : undefined),
    onError: () => true,
  });

  async function submit() {
    // The values as typed: the form passes on the schema's output.
    const { shown, takeOver } = beginSave(form);
    const values = asStored(shown);
    function done(company: Company, saved: CompanyValues) {
      setRead(company);
      takeOver(saved);
      stale.clear();
      toast.success(texts.saved);
    }
    try {
      const body = toBody(values, isSuper);
      const { companyId, version } = await save.mutateAsync({
        body: { ...body, companyId: read.companyId, version: read.version },
      });
      if (isNew) {
        form.reset(values);
        toast.success(texts.created, { across: 'next' });
        await navigate(to.adminCompanyEdit({ id: companyId }), { replace: true });
        return;
      }
      const hasPmtPassword = values.paymentProcessor !== '' && (read.hasPmtPassword || values.pmtPassword !== '');
      const saved = { ...read, companyName: body.companyName.trim(), version, hasPmtPassword };
      done(saved, { ...values, pmtPassword: '', version });
    } catch (error) {
      if (!isRefusal(error, 'stale')) throw error;
      const fresh = await send(getCompany, { params: { companyId: read.companyId } });
      const stored = toForm(fresh);
      if (isStored(values, stored)) return done(fresh, stored);
      setRead(fresh);
      stale.merge(stored);
    }
  }

  return (
    <Page
      title={isNew ? texts.newCompany : read.companyName || texts.title}
      width="form"
      actions={!isNew && <Shortcuts companyId={read.companyId} isSuper={isSuper} />}
    >
      <Box sx={{ display: 'grid', gap: 3 }}>
        <Form form={form} onSubmit={submit}>
          <StaleNotice stale={stale} labels={texts} show={show} />
          {!isNew && <Alert severity="info">{texts.note}</Alert>}
          <CompanyFields company={read} isSuper={isSuper} />
          <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
            <SubmitButton />
            <Button look="quiet" onClick={() => void goBack()}>
              {texts.cancel}
            </Button>
            {!isNew && <WaysOn companyId={read.companyId} isSuper={isSuper} />}
          </Box>
        </Form>
        {/* Of the own company only. */}
        {!isNew && !isSuper && <ClinicFeedSection />}
      </Box>
    </Page>
  );
}

interface WaysProps {
  companyId: number;
  isSuper: boolean;
}

/** The license of the own company has the address without an id. */
const licensePath = ({ companyId, isSuper }: WaysProps) =>
  isSuper ? to.adminPaymentOf({ id: companyId }) : to.adminPayment();

/** COMPANY-6: above the form, to its license and users without scrolling past it. */
function Shortcuts(props: WaysProps) {
  return (
    <>
      <Button look="quiet" to={licensePath(props)}>
        {texts.providers}
      </Button>
      <Button look="quiet" to={to.adminUsersOf({ company: props.companyId })}>
        {texts.users}
      </Button>
    </>
  );
}

/** COMPANY-6: beside Save, links to related pages. */
function WaysOn(props: WaysProps) {
  const license = licensePath(props);
  const users = to.adminUsersOf({ company: props.companyId });
  const ways = [
    { label: texts.manageLicenses, path: license },
    { label: texts.manageUsers, path: users },
    // Of the own company only.
    ...(props.isSuper ? [] : [{ label: texts.data, path: to.adminData() }]),
  ];
  return ways.map(({ label, path }) => (
    <Button look="quiet" key={label} to={path}>
      {label}
    </Button>
  ));
}
