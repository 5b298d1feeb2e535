import { readFileSync } from 'node:fs';
import { isReadableWithWhite } from '@roomside/contract/brands/color.ts';
import { expect, test } from 'vitest';
import { renderMail } from './mail-frame.ts';

const tokens = readFileSync(new URL('../../../../web/src/theme/tokens.css', import.meta.url), 'utf8');

test('button of a mail: has the product’s color, and readable white text', () => {
  const { html } = renderMail('Your visit', [{ link: 'https://example.test/', label: 'Open' }]);
  const accent = /--rs-accent: (#[0-9a-f]{6});/.exec(tokens)?.[1] ?? '';
  expect(html).toContain(`background:${accent};color:#ffffff`);
  expect(isReadableWithWhite(accent)).toBe(true);
});
