import { createTheme, type PaletteOptions, type Theme } from '@mui/material/styles';
import type {} from '@mui/x-date-pickers/themeAugmentation';
import tokens from './tokens.css?raw';

type Tokens = Record<string, string>;

/** Reads the blocks of tokens.css: the values of light, those that dark overrides, and those of what is always dark. */
export function readTokens(css: string): { light: Tokens; dark: Tokens; alwaysDark: Tokens } {
  const read = (block: string): Tokens =>
    Object.fromEntries(
      [...block.matchAll(/--rs-([a-z0-9-]+):\s*([^;]+);/g)].map(([, name = '', value = '']) => [name, value]),
    );
  const dark = /@media \(prefers-color-scheme: dark\) \{([\s\S]*?\n {2}\})/.exec(css)?.[1] ?? '';
  const alwaysDark = /\.rs-dark \{([\s\S]*?)\n\}/.exec(css)?.[1] ?? '';
  const light = read(css.replace(dark, '').replace(alwaysDark, ''));
  return { light, dark: { ...light, ...read(dark) }, alwaysDark: read(alwaysDark) };
}

function palette(token: (name: string) => string): PaletteOptions {
  const state = (name: string) => ({ main: token(name), contrastText: token('surface') });
  return {
    primary: { main: token('accent'), dark: token('accent-strong'), contrastText: token('on-accent') },
    secondary: { main: token('text-soft'), contrastText: token('surface') },
    error: state('danger'),
    warning: state('warning'),
    success: state('success'),
    info: state('info'),
    text: { primary: token('text'), secondary: token('text-soft') },
    background: { default: token('ground'), paper: token('surface') },
    divider: token('line'),
    action: { active: token('text-soft') },
  };
}

const both = readTokens(tokens);
const from = (set: Tokens) => (name: string) => {
  const value = set[name];
  if (!value) throw new Error(`tokens.css has no --rs-${name}.`);
  return value;
};

const focusRing = { outline: '2px solid var(--rs-accent)', outlineOffset: 2 } as const;

/** Colors of alerts from tokens.css, as in patients' notices; Material mixes its own from the palette. */
const alertTones = Object.fromEntries(
  (
    [
      ['Info', 'info'],
      ['Success', 'success'],
      ['Warning', 'warning'],
      ['Error', 'danger'],
    ] as const
  ).map(([color, tone]) => [
    `&.MuiAlert-color${color}`,
    {
      backgroundColor: `var(--rs-${tone}-soft)`,
      color: 'var(--rs-text)',
      '& .MuiAlert-icon': { color: `var(--rs-${tone})` },
    },
  ]),
);

const readable = { color: 'var(--rs-text-soft)' } as const;

/** A field that cannot be edited. */
const inactive = { backgroundColor: 'var(--rs-sunken)' } as const;

/** The border of a field whose label stands above it. */
const noNotch = { top: 0, borderColor: 'var(--rs-line-strong)', '& legend': { display: 'none' } } as const;

/** The theme of the staff's pages; follows the system's light or dark mode. */
export const theme: Theme = createTheme({
  cssVariables: { colorSchemeSelector: 'media' },
  colorSchemes: { light: { palette: palette(from(both.light)) }, dark: { palette: palette(from(both.dark)) } },
  breakpoints: { values: { xs: 0, sm: 600, md: 750, lg: 1100, xl: 1536 } },
  spacing: 8,
  shape: { borderRadius: 10 },
  typography: {
    fontFamily: 'var(--rs-font)',
    h1: { fontSize: 'var(--rs-size-xl)', fontWeight: 650, lineHeight: 1.25, letterSpacing: '-0.015em' },
    h2: { fontSize: 'var(--rs-size-lg)', fontWeight: 650, lineHeight: 1.35, letterSpacing: '-0.01em' },
    h3: { fontSize: 'var(--rs-size-base)', fontWeight: 650, lineHeight: 1.4 },
    body2: { fontSize: 'var(--rs-size-md)' },
    caption: { fontSize: 'var(--rs-size-xs)' },
    button: { textTransform: 'none', fontWeight: 600, letterSpacing: 0 },
  },
  components: {
    MuiCssBaseline: { styleOverrides: { body: { fontVariantNumeric: 'normal' } } },
    MuiButtonBase: {
      defaultProps: { disableRipple: true },
      styleOverrides: { root: { '&.Mui-focusVisible': focusRing } },
    },
    MuiButton: {
      defaultProps: { disableElevation: true },
      styleOverrides: {
        root: { minHeight: 44, paddingInline: 18 },
        // Touch needs larger targets than a mouse.
        sizeSmall: {
          minHeight: 36,
          paddingInline: 12,
          '@media (max-width: 749px), (pointer: coarse)': { minHeight: 44 },
        },
      },
    },
    MuiIconButton: { styleOverrides: { root: { minWidth: 44, minHeight: 44, borderRadius: 'var(--rs-radius-md)' } } },
    MuiPaper: { defaultProps: { elevation: 0 }, styleOverrides: { root: { backgroundImage: 'none' } } },
    MuiCard: { defaultProps: { variant: 'outlined' } },
    MuiDialog: { styleOverrides: { paper: { boxShadow: 'var(--rs-shade)', borderRadius: 'var(--rs-radius-lg)' } } },
    MuiDialogTitle: { styleOverrides: { root: { fontSize: 'var(--rs-size-lg)', fontWeight: 650, lineHeight: 1.35 } } },
    MuiDialogActions: {
      defaultProps: { disableSpacing: true },
      styleOverrides: {
        root: {
          flexWrap: 'wrap',
          gap: 8,
          padding: '8px 24px 20px',
          // Buttons that do not fit side by side on a phone fill their lines.
          '@media (max-width: 599px)': { '& > *': { flex: '1 1 auto' } },
        },
      },
    },
    MuiMenu: { styleOverrides: { paper: { boxShadow: 'var(--rs-shade)', border: '1px solid var(--rs-line)' } } },
    MuiAutocomplete: {
      styleOverrides: {
        paper: { boxShadow: 'var(--rs-shade)', border: '1px solid var(--rs-line)' },
        inputRoot: { paddingBlock: 2 },
      },
    },
    MuiAlert: {
      styleOverrides: {
        standard: alertTones,
        // A button that does not fit beside the text on a phone is below it.
        root: { '@media (max-width: 599px)': { flexWrap: 'wrap' } },
        message: { '@media (max-width: 599px)': { flex: '1 1 60%' } },
        action: { flex: 'none' },
      },
    },
    MuiTooltip: {
      defaultProps: { enterDelay: 400 },
      styleOverrides: {
        tooltip: { backgroundColor: 'var(--rs-text)', color: 'var(--rs-surface)', fontSize: 'var(--rs-size-xs)' },
      },
    },
    MuiTableCell: {
      styleOverrides: {
        root: {
          borderColor: 'var(--rs-line)',
          fontSize: 'var(--rs-size-md)',
          // As high as the row: outside of the button, the edges of the table and the next cell would hide the ring.
          '& .MuiIconButton-root.Mui-focusVisible': { outlineOffset: -2 },
        },
        head: { color: 'var(--rs-text-soft)', fontSize: 'var(--rs-size-xs)', fontWeight: 600 },
      },
    },
    // One field style, as on the patients' pages: the label stands above the field.
    MuiInputLabel: {
      defaultProps: { shrink: true },
      styleOverrides: {
        root: {
          position: 'static',
          transform: 'none',
          maxWidth: 'none',
          marginBottom: 6,
          color: 'var(--rs-text)',
          fontSize: 'var(--rs-size-sm)',
          fontWeight: 550,
          lineHeight: 1.4,
          whiteSpace: 'normal',
          '&.Mui-focused': { color: 'var(--rs-text)' },
          '&.Mui-error': { color: 'var(--rs-danger)' },
        },
      },
    },
    MuiOutlinedInput: {
      styleOverrides: {
        root: {
          minHeight: 44,
          backgroundColor: 'var(--rs-surface)',
          '&.Mui-disabled': inactive,
          '&.Mui-readOnly': inactive,
        },
        input: { paddingBlock: 10 },
        multiline: { paddingBlock: 10, '& textarea': { padding: 0 } },
        notchedOutline: noNotch,
      },
    },
    MuiPickersOutlinedInput: {
      styleOverrides: {
        root: {
          minHeight: 44,
          backgroundColor: 'var(--rs-surface)',
          '&.Mui-disabled': inactive,
          '&.Mui-readOnly': inactive,
        },
        sectionsContainer: { paddingBlock: 10 },
        notchedOutline: noNotch,
      },
    },
    MuiFormHelperText: {
      // It may hold blocks, which a paragraph may not contain.
      defaultProps: { component: 'div' } as object,
      styleOverrides: { root: { marginInline: 0, fontSize: 'var(--rs-size-xs)', '&.Mui-disabled': readable } },
    },
    // The text of a disabled field must be readable.
    MuiFormLabel: { styleOverrides: { root: { '&.Mui-disabled': readable }, asterisk: { color: 'inherit' } } },
    MuiFormControlLabel: { styleOverrides: { label: { '&.Mui-disabled': readable } } },
    MuiLink: { defaultProps: { underline: 'hover' }, styleOverrides: { root: { fontWeight: 550 } } },
    MuiBadge: { styleOverrides: { badge: { fontWeight: 700, fontVariantNumeric: 'tabular-nums' } } },
    MuiListItemButton: { styleOverrides: { root: { minHeight: 44, borderRadius: 'var(--rs-radius-md)' } } },
  },
});
