import { expect, test } from 'vitest';
import { readTokens, theme } from './theme.ts';
import tokens from './tokens.css?raw';

test('theme: has the colors of the light and dark tokens', () => {
  expect(theme).toMatchObject({
    colorSchemes: {
      light: { palette: { primary: { main: '#0f766e' } } },
      // Icons are not brighter than the text beside them.
      dark: { palette: { background: { default: '#0d1416' }, action: { active: '#a3b3ba' } } },
    },
  });
});

test('dark theme: has the light values that it does not override', () => {
  const css =
    ':root {\n  --rs-a: #111;\n  --rs-b: #222;\n}\n\n@media (prefers-color-scheme: dark) {\n  :root {\n    --rs-a: #333;\n  }\n}\n';
  expect(readTokens(css)).toEqual({
    light: { a: '#111', b: '#222' },
    dark: { a: '#333', b: '#222' },
    alwaysDark: {},
  });
});

test('always dark: has the colors of the dark scheme', () => {
  const { light, dark, alwaysDark } = readTokens(tokens);
  const overridden = Object.entries(dark).filter(([name, value]) => light[name] !== value || name in alwaysDark);
  expect(alwaysDark).toEqual(Object.fromEntries(overridden));
});
