import { Alert, Box, Typography } from '@mui/material';
import { hostsOf } from '@roomside/contract/brands/hosts.ts';
import { finishExternalSignIn } from '@roomside/contract/external-sign-in/calls.ts';
import { limits, maxBrandProviders } from '@roomside/contract/limits.ts';
import { useFieldArray, useFormContext, useWatch } from 'react-hook-form';
import { AddRow, RemoveRow } from '../../form/RowButtons.tsx';
import { TextInput } from '../../form/TextInput.tsx';
import { Pair, Section } from '../../ui/Section.tsx';
import { type BrandValues, blankProvider } from './brand-form.ts';
import { LogoInput } from './LogoInput.tsx';
import { texts } from './texts.ts';

/** The external providers of a brand (LOGIN-2). */
export function ProviderFields() {
  const { control } = useFormContext<BrandValues>();
  const { fields, append, remove } = useFieldArray({ control, name: 'providers' });
  return (
    <Section title={texts.providers}>
      <Alert severity="info">{texts.providersNote}</Alert>
      {fields.map((provider, index) => (
        <Box
          key={provider.id}
          role="group"
          aria-label={texts.provider(index)}
          sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)' }}
        >
          <Box sx={{ display: 'flex', alignItems: 'center', justifyContent: 'space-between' }}>
            <Typography variant="subtitle2">{texts.provider(index)}</Typography>
            <RemoveRow of="providers" label={texts.removeProvider(index)} onRemove={() => remove(index)} />
          </Box>
          <OneProvider index={index} isStored={provider.providerId !== 0} logoUrl={provider.logoUrl} />
        </Box>
      ))}
      {fields.length > 0 && <RedirectUris />}
      <AddRow
        of="providers"
        label={texts.addProvider}
        disabled={fields.length >= maxBrandProviders}
        onAdd={() => append(blankProvider)}
      />
    </Section>
  );
}

type TextField = 'description' | 'providerClass' | 'providerName' | 'issuer' | 'emailDomains';

function OneProvider({ index, isStored, logoUrl }: { index: number; isStored: boolean; logoUrl: string }) {
  const name = (field: string) => `providers.${index}.${field}`;
  const input = (field: TextField) => ({ name: name(field), label: texts[field], hint: texts[`${field}Hint`] });
  return (
    <>
      <Pair>
        <TextInput {...input('description')} maxLength={limits.name} required />
        <TextInput {...input('providerClass')} maxLength={limits.name} />
      </Pair>
      <Pair>
        <TextInput {...input('providerName')} maxLength={limits.name} required />
        <TextInput {...input('issuer')} maxLength={limits.issuer} inputMode="url" required />
      </Pair>
      <Pair>
        <TextInput name={name('clientId')} label={texts.clientId} maxLength={limits.issuer} required />
        <TextInput
          name={name('clientSecret')}
          label={texts.clientSecret}
          hint={isStored ? texts.clientSecretKept : texts.clientSecretHint}
          maxLength={limits.clientSecret}
          type="password"
          autoComplete="new-password"
          required={!isStored}
        />
      </Pair>
      <TextInput {...input('emailDomains')} />
      <LogoInput name={name('logo')} label={texts.logo} storedUrl={logoUrl} />
    </>
  );
}

/** What the administrator of the provider needs; the port is this page's. */
function RedirectUris() {
  const hosts = useWatch<BrandValues, 'hosts'>({ name: 'hosts' });
  const port = location.port && `:${location.port}`;
  return (
    <Typography variant="body2" color="textSecondary" sx={{ overflowWrap: 'anywhere' }}>
      {texts.redirectUri}:{' '}
      {hostsOf(hosts)
        .map((host) => `${location.protocol}//${host}${port}${finishExternalSignIn.path}`)
        .join(' ')}
    </Typography>
  );
}
