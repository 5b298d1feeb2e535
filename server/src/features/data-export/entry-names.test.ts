import { expect, test } from 'vitest';
import { safeName } from './entry-names.ts';

test.each([
  ['report.pdf', 'report.pdf'],
  ['../../etc/passwd', '_.._etc_passwd'],
  ['a\\b:c*?"<>|.txt', 'a_b_c______.txt'],
  ['evil\u202Egpj.exe', 'evil_gpj.exe'],
  ['line\r\nbreak', 'line__break'],
  ['...', 'file'],
  ['', 'file'],
  ['Befund Müller.jpeg', 'Befund Müller.jpeg'],
  [`${'漢'.repeat(200)}.pdf`, `${'漢'.repeat(60)}.pdf`],
])('the name of an entry: %j becomes %j', (name, expected) => {
  expect(safeName(name)).toBe(expected);
});
