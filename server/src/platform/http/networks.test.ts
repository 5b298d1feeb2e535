import { expect, test } from 'vitest';
import { networksOf } from './networks.ts';

test('networksOf: groups IPv6 by /56 and /48 in every spelling', () => {
  const same = ['2001:db8:1:200::1', '2001:db8:1:2ff:1:2:3:4', '2001:DB8:1:2aa::', '2001:0db8:0001:0200:0:0:0:9'];
  const seen = same.map(networksOf);
  expect(new Set(seen.map(({ customer }) => customer))).toEqual(new Set(['2001:db8:1:200::/56']));
  expect(new Set(seen.map(({ site }) => site))).toEqual(new Set(['2001:db8:1::/48']));
  expect(networksOf('2001:db8:1:300::1')).toEqual({ customer: '2001:db8:1:300::/56', site: '2001:db8:1::/48' });
  expect(networksOf('2001:db8::7:1:2:3').customer).toBe(networksOf('2001:db8::8:1:2:3').customer);
});

test('networksOf: an IPv4 address is its own network, also written as IPv6; other texts are `unknown`', () => {
  expect(networksOf('203.0.113.7')).toEqual({ customer: '203.0.113.7', site: null });
  expect(networksOf('::ffff:203.0.113.7')).toEqual({ customer: '203.0.113.7', site: null });
  expect(networksOf('::ffff:cb00:7107')).toEqual({ customer: '203.0.113.7', site: null });
  expect(networksOf('fe80::1%eth0')).toEqual({ customer: 'fe80::/56', site: 'fe80::/48' });
  for (const odd of ['', 'unknown', '1.2.3.4.5', 'x:y']) expect(networksOf(odd).customer).toBe('unknown');
});
