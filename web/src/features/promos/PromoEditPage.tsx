import { Box, Typography } from '@mui/material';
import { limits } from '@roomside/contract/limits.ts';
import { getPromo, listPromos, savePromo } from '@roomside/contract/promos/calls.ts';
import { useEffect, useEffectEvent, useState } from 'react';
import { useParams } from 'react-router';
import { isRefusal } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { useChange, useRead } from '../../api/use-call.ts';
import { beginSave, isStored } from '../../form/begin-save.ts';
import { DateInput } from '../../form/DateInput.tsx';
import { Form } from '../../form/Form.tsx';
import { StaleNotice } from '../../form/StaleNotice.tsx';
import { SubmitButton } from '../../form/SubmitButton.tsx';
import { SwitchInput } from '../../form/SwitchInput.tsx';
import { TextInput } from '../../form/TextInput.tsx';
import { useContractForm } from '../../form/use-contract-form.ts';
import { useStale } from '../../form/use-stale.ts';
import { useUnsaved } from '../../form/use-unsaved.ts';
import { useGoBack } from '../../go-back.ts';
import { useNavigateAfterCall } from '../../page-of-call.ts';
import { to } from '../../paths.ts';
import { formatDate } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pair, Section } from '../../ui/Section.tsx';
import { FormSkeleton } from '../../ui/Skeletons.tsx';
import { toast } from '../../ui/toast.ts';
import { blankPromo, type PromoForm, promoSchema, type StoredPromo, toBody, toForm } from './promo-form.ts';
import { texts } from './texts.ts';

/** /admin/promo/edit/{id}: 0 or below is new (PROMO-2). A code that does not exist returns to the previous page (STATE-30). */
export function PromoEditPage() {
  const patientPromoId = Math.max(0, Number(useParams()['id']) || 0);
  const isNew = patientPromoId === 0;
  const { data, error, isFetchedAfterMount, refetch } = useRead(
    getPromo,
    { params: { patientPromoId } },
    { enabled: !isNew, staleTime: 0 },
  );
  const goBack = useGoBack(to.adminPromos());
  const isGone = isRefusal(error, 'not-found');
  const leave = useEffectEvent(() => {
    toast.warning(texts.gone, { across: 'next' });
    void goBack();
  });
  useEffect(() => {
    if (isGone) leave();
  }, [isGone]);
  if (isNew) return <PromoEditor key="new" stored={blankPromo} />;
  if (data && isFetchedAfterMount) return <PromoEditor key={data.patientPromoId} stored={data} />;
  return (
    <Page title={texts.title} width="form">
      {error && !isGone ? <LoadError error={error} onRetry={() => void refetch()} /> : <FormSkeleton sections={[4]} />}
    </Page>
  );
}

/** A stored value as the notice about a conflict shows it. */
const show = (name: string, { expirationDate }: Partial<PromoForm>) =>
  name === 'expirationDate' && expirationDate ? formatDate(expirationDate) : undefined;

function PromoEditor({ stored }: { stored: StoredPromo }) {
  const navigate = useNavigateAfterCall();
  const [read, setRead] = useState(stored);
  const isNew = read.patientPromoId === 0;
  const form = useContractForm<PromoForm>(promoSchema, { defaultValues: toForm(read), mode: 'onBlur' });
  const stale = useStale(form);
  useUnsaved(form);
  const save = useChange(savePromo, {
    invalidates: [getPromo, listPromos],
    makes: () => (isNew ? 'promo' : undefined),
    onError: () => true,
  });

  async function submit(values: PromoForm) {
    const { shown } = beginSave(form);
    async function done() {
      form.reset(values);
      toast.success(isNew ? texts.created : texts.saved, { across: 'next' });
      await navigate(to.adminPromos());
    }
    try {
      await save.mutateAsync({ body: toBody(values, read) });
      await done();
    } catch (error) {
      if (!isRefusal(error, 'stale')) throw error;
      const fresh = await send(getPromo, { params: { patientPromoId: read.patientPromoId } });
      if (isStored(shown, toForm(fresh))) return done();
      setRead(fresh);
      stale.merge(toForm(fresh));
    }
  }

  return (
    <Page title={read.code || texts.newPromo} width="form">
      <Form form={form} onSubmit={submit}>
        <StaleNotice stale={stale} labels={texts} show={show} />
        <Section title={texts.section}>
          <Pair>
            <TextInput name="code" label={texts.code} maxLength={limits.promoCode} autoComplete="off" required />
            <TextInput name="discountRate" label={texts.discountRate} maxLength={3} digits required />
          </Pair>
          <Pair>
            <DateInput name="expirationDate" label={texts.expirationDate} hint={texts.expirationHint} />
            <TextInput name="maxUses" label={texts.maxUses} maxLength={7} digits hint={texts.maxUsesHint} />
          </Pair>
          <SwitchInput name="disabled" label={texts.disabled} />
          {!isNew && <Typography color="text.secondary">{texts.uses(read.uses)}</Typography>}
        </Section>
        <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
          <SubmitButton />
          <Button look="quiet" onClick={() => void navigate(to.adminPromos())}>
            {texts.cancel}
          </Button>
        </Box>
      </Form>
    </Page>
  );
}
