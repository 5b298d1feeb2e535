import { Box, FormHelperText, Typography } from '@mui/material';
import { brandTexts } from '@roomside/contract/brands/texts.ts';
import { maxLogoBytes } from '@roomside/contract/limits.ts';
import { useRef } from 'react';
import { useFormContext } from 'react-hook-form';
import { useField } from '../../form/use-field.ts';
import { Button } from '../../ui/Button.tsx';
import { texts } from './texts.ts';

interface Props {
  /** The path of the field in the form; its value is undefined as stored, '' for none, else base64. */
  name: string;
  /** The stored picture; '' = none. */
  storedUrl: string;
  label: string;
}

const kilobytes = maxLogoBytes / 1024;
const types = ['image/png', 'image/jpeg', 'image/webp'];

/** A picture that is stored with the form. */
export function LogoInput({ name, storedUrl, label }: Props) {
  const {
    field: { value, onChange, ref },
    error,
  } = useField({ name, label });
  const { setError, clearErrors } = useFormContext();
  const input = useRef<HTMLInputElement>(null);
  const chosen = value as string | undefined;
  const shown = chosen === undefined ? storedUrl : chosen && `data:;base64,${chosen}`;

  async function read(file: File) {
    const wrong = !types.includes(file.type)
      ? brandTexts.logoType
      : file.size > maxLogoBytes
        ? brandTexts.logoTooLarge(kilobytes)
        : undefined;
    if (wrong) return setError(name, { type: 'file', message: wrong });
    clearErrors(name);
    onChange(await base64Of(file));
  }

  return (
    <Box role="group" aria-label={label} sx={{ display: 'grid', gap: 1 }}>
      <Typography variant="subtitle2">{label}</Typography>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1.5 }}>
        {shown ? (
          <Box component="img" src={shown} alt="" sx={{ height: 40, maxWidth: 160, objectFit: 'contain' }} />
        ) : (
          <Typography color="textSecondary">{texts.noLogo}</Typography>
        )}
        <Button ref={ref} look="secondary" onClick={() => input.current?.click()}>
          {texts.chooseLogo}
        </Button>
        {shown && (
          <Button look="quiet" onClick={() => onChange('')}>
            {texts.removeLogo}
          </Button>
        )}
        <input
          ref={input}
          type="file"
          hidden
          accept={types.join(',')}
          aria-label={texts.chooseLogo}
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            if (file) void read(file);
            // The same file may be chosen again.
            target.value = '';
          }}
        />
      </Box>
      <FormHelperText error={error !== undefined}>{error ?? texts.logoHint(kilobytes)}</FormHelperText>
    </Box>
  );
}

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
