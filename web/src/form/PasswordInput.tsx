import CasinoOutlinedIcon from '@mui/icons-material/CasinoOutlined';
import VisibilityOffOutlinedIcon from '@mui/icons-material/VisibilityOffOutlined';
import VisibilityOutlinedIcon from '@mui/icons-material/VisibilityOutlined';
import { IconButton, InputAdornment, Tooltip } from '@mui/material';
import { limits } from '@roomside/contract/limits.ts';
import { useState } from 'react';
import { useFormContext } from 'react-hook-form';
import { generatePassword } from './generate-password.ts';
import { TextInput } from './TextInput.tsx';
import { texts } from './texts.ts';
import type { FieldProps } from './use-field.ts';

interface Props extends FieldProps {
  /** Offers a generator (VALID-26), and marks the password as new for password managers. */
  isNew?: boolean;
  autoFocus?: boolean;
}

/** A password with a toggle that shows it. */
export function PasswordInput({ isNew = false, ...props }: Props) {
  const [visible, setVisible] = useState(false);
  const { setValue } = useFormContext();
  const eye = visible ? texts.hidePassword : texts.showPassword;
  return (
    <TextInput
      {...props}
      type={visible ? 'text' : 'password'}
      maxLength={limits.passwordMax}
      autoComplete={isNew ? 'new-password' : 'current-password'}
      endAdornment={
        <InputAdornment position="end">
          {isNew && (
            <Tooltip title={texts.generate}>
              <IconButton
                aria-label={texts.generate}
                onClick={() => {
                  setValue(props.name, generatePassword(), { shouldDirty: true, shouldValidate: true });
                  setVisible(true);
                }}
              >
                <CasinoOutlinedIcon fontSize="small" />
              </IconButton>
            </Tooltip>
          )}
          <Tooltip title={eye}>
            <IconButton edge="end" aria-label={eye} onClick={() => setVisible(!visible)}>
              {visible ? <VisibilityOffOutlinedIcon fontSize="small" /> : <VisibilityOutlinedIcon fontSize="small" />}
            </IconButton>
          </Tooltip>
        </InputAdornment>
      }
    />
  );
}
