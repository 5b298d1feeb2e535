import { Box } from '@mui/material';
import { getBrand } from '@roomside/contract/auth/calls.ts';
import { getBrandSettings, listBrands, saveBrand } from '@roomside/contract/brands/calls.ts';
import { limits } from '@roomside/contract/limits.ts';
import { useState } from 'react';
import { useParams } from 'react-router';
import { isRefusal } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { useChange, useRead } from '../../api/use-call.ts';
import { beginSave, isStored } from '../../form/begin-save.ts';
import { Form } from '../../form/Form.tsx';
import { StaleNotice } from '../../form/StaleNotice.tsx';
import { SubmitButton } from '../../form/SubmitButton.tsx';
import { SwitchInput } from '../../form/SwitchInput.tsx';
import { TextInput } from '../../form/TextInput.tsx';
import { useContractForm } from '../../form/use-contract-form.ts';
import { useStale } from '../../form/use-stale.ts';
import { useUnsaved } from '../../form/use-unsaved.ts';
import { useGoBack } from '../../go-back.ts';
import { to } from '../../paths.ts';
import { Button } from '../../ui/Button.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { Page } from '../../ui/Page.tsx';
import { Section } from '../../ui/Section.tsx';
import { FormSkeleton } from '../../ui/Skeletons.tsx';
import { toast } from '../../ui/toast.ts';
import { type BrandValues, blankBrand, brandForm, type StoredBrand, toBody, toForm } from './brand-form.ts';
import { LogoInput } from './LogoInput.tsx';
import { ProviderFields } from './ProviderFields.tsx';
import { texts } from './texts.ts';

/** /admin/brand/edit/{id}, 0 = new, for a Super. */
export function BrandEditPage() {
  const brandId = Math.max(0, Number(useParams()['id']) || 0);
  const brand = useRead(getBrandSettings, { params: { brandId } }, { staleTime: 0, enabled: brandId > 0 });
  if (brandId === 0) return <BrandEditor key="new" stored={blankBrand} />;
  if (brand.data && brand.isFetchedAfterMount) return <BrandEditor key={brandId} stored={brand.data} />;
  return (
    <Page title={texts.title} width="form">
      {brand.error ? (
        <LoadError error={brand.error} onRetry={() => void brand.refetch()} />
      ) : (
        <FormSkeleton sections={[3, 2, 1]} />
      )}
    </Page>
  );
}

function BrandEditor({ stored }: { stored: StoredBrand }) {
  const goBack = useGoBack(to.adminBrands());
  const [read, setRead] = useState(stored);
  const isNew = read.brandId === 0;
  const form = useContractForm<BrandValues>(brandForm, { defaultValues: toForm(read), mode: 'onBlur' });
  const stale = useStale(form);
  useUnsaved(form);
  const save = useChange(saveBrand, {
    invalidates: [listBrands, getBrandSettings, getBrand],
    makes: ({ body }) => (body.brandId > 0 ? undefined : 'brand'),
    onError: () => true,
  });

  async function submit() {
    // The values as typed: the form passes on the schema's output.
    const { shown: values } = beginSave(form);
    const { brandId } = read;
    async function done() {
      form.reset(values);
      toast.success(isNew ? texts.created : texts.saved, { across: 'next' });
      await goBack();
    }
    try {
      await save.mutateAsync({ body: { ...toBody(values), brandId, version: read.version } });
      await done();
    } catch (error) {
      if (!isRefusal(error, 'stale')) throw error;
      const fresh = await send(getBrandSettings, { params: { brandId } });
      if (isStored(values, toForm(fresh))) return done();
      setRead(fresh);
      stale.merge(toForm(fresh));
    }
  }

  return (
    <Page title={isNew ? texts.newBrand : read.brandName} width="form">
      <Form form={form} onSubmit={submit}>
        <StaleNotice stale={stale} labels={labels} show={show} />
        <Section title={texts.pages}>
          <TextInput name="brandName" label={texts.brandName} maxLength={limits.name} required autoFocus={isNew} />
          <TextInput name="hosts" label={texts.hosts} hint={texts.hostsHint} required />
          <SwitchInput name="strictMode" label={texts.strictMode} hint={texts.strictModeHint} />
        </Section>
        <Section title={texts.look}>
          <TextInput name="color" label={texts.color} hint={texts.colorHint} maxLength={7} />
          <LogoInput name="logo" label={texts.logo} storedUrl={read.logoUrl} />
        </Section>
        <ProviderFields />
        <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
          <SubmitButton />
          <Button look="quiet" onClick={() => void goBack()}>
            {texts.cancel}
          </Button>
        </Box>
      </Form>
    </Page>
  );
}

/** Of the fields whose stored value can be taken over one by one. */
const labels = {
  brandName: texts.brandName,
  hosts: texts.hosts,
  strictMode: texts.strictMode,
  color: texts.color,
  providers: texts.providers,
} as const;

/** A stored value as the notice about a conflict shows it. */
const show = (name: string, { providers }: Partial<BrandValues>) =>
  name === 'providers'
    ? providers?.map(({ providerName, issuer }) => `${providerName} (${issuer})`).join(', ')
    : undefined;
