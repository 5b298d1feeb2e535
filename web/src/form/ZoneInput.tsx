import { Autocomplete, TextField } from '@mui/material';
import { isTimeZone } from '@roomside/contract/time.ts';
import { formatTime, now } from '../time/time.ts';
import { Foot } from './TextInput.tsx';
import { texts } from './texts.ts';
import { useField } from './use-field.ts';

const zones = Intl.supportedValuesOf('timeZone');

/** An IANA zone, searched by typing; shows its current time. */
export function ZoneInput({ name }: { name: string }) {
  const { field, error } = useField({ name, label: texts.timeZone });
  const zone = String(field.value ?? '');
  const hint = isTimeZone(zone) ? texts.timeZoneHint(formatTime(now(), zone)) : undefined;
  return (
    <Autocomplete
      options={zones.includes(zone) || !zone ? zones : [zone, ...zones]}
      value={zone || null}
      onChange={(_, next) => field.onChange(next ?? '')}
      onBlur={field.onBlur}
      autoHighlight
      renderInput={(props) => (
        <TextField
          {...props}
          label={texts.timeZone}
          required
          inputRef={field.ref}
          error={error !== undefined}
          helperText={<Foot error={error} hint={hint} />}
        />
      )}
    />
  );
}
