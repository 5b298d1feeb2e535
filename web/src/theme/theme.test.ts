import { expect, test } from 'vitest';
import { readTokens, theme } from './theme.ts';

test('the tokens of light and dark are the theme’s colours', () => {
  expect(theme).toMatchObject({
    colorSchemes: {
      light: { palette: { primary: { main: '#0f766e' } } },
      dark: { palette: { background: { default: '#0d1416' } } },
    },
  });
});

test('dark keeps what it does not change', () => {
  const css =
    ':root {\n  --rs-a: #111;\n  --rs-b: #222;\n}\n\n@media (prefers-color-scheme: dark) {\n  :root {\n    --rs-a: #333;\n  }\n}\n';
  expect(readTokens(css)).toEqual({ light: { a: '#111', b: '#222' }, dark: { a: '#333', b: '#222' } });
});
