import ClearIcon from '@mui/icons-material/Clear';
import SearchIcon from '@mui/icons-material/Search';
import { IconButton, InputAdornment, OutlinedInput, useMediaQuery } from '@mui/material';
import { useEffect, useRef, useState } from 'react';
import { texts } from './texts.ts';

/** CONST-3, ms. */
const focusDelayMs = 100;

interface Props {
  value: string;
  onChange: (text: string) => void;
  label?: string;
}

/**
 * The search of a list. It takes the focus 100 ms after it has appeared (CONST-3), unless someone types elsewhere. On a phone it is behind a button, so
 * that the keyboard does not cover the list. '/' focuses it.
 */
export function SearchBox({ value, onChange, label = texts.search }: Props) {
  const narrow = useMediaQuery('(max-width: 749px)', { noSsr: true });
  const [opened, setOpened] = useState(value !== '');
  const visible = !narrow || opened;
  const input = useRef<HTMLInputElement>(null);

  useEffect(() => {
    if (!visible) return;
    const timer = setTimeout(() => !isField(document.activeElement) && input.current?.focus(), focusDelayMs);
    return () => clearTimeout(timer);
  }, [visible]);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || isField(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      setOpened(true);
      input.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);

  if (!visible) {
    return (
      <IconButton aria-label={label} onClick={() => setOpened(true)}>
        <SearchIcon />
      </IconButton>
    );
  }
  return (
    <OutlinedInput
      size="small"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      placeholder={label}
      inputRef={input}
      onBlur={() => narrow && value === '' && setOpened(false)}
      inputProps={{ 'aria-label': label, type: 'search', maxLength: 100, enterKeyHint: 'search' }}
      startAdornment={
        <InputAdornment position="start">
          <SearchIcon fontSize="small" />
        </InputAdornment>
      }
      endAdornment={
        value !== '' && (
          <IconButton
            edge="end"
            aria-label={texts.clearSearch}
            onClick={() => {
              onChange('');
              input.current?.focus();
            }}
          >
            <ClearIcon fontSize="small" />
          </IconButton>
        )
      }
      sx={{
        flex: { xs: 1, sm: '0 1 280px' },
        minWidth: 120,
        height: 44,
        '& input::-webkit-search-cancel-button': { display: 'none' },
      }}
    />
  );
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;
