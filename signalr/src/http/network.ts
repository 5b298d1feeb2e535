import { isIPv6 } from 'node:net';

/**
 * Returns the network that counts as one client without a user: the /64 of an IPv6 address, because one household or server has a
 * whole /64; otherwise the address itself.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  const [plain = ''] = address.split('%');
  const [left = '', right] = plain.split('::');
  const first = left === '' ? [] : left.split(':');
  const last = right ? right.split(':') : [];
  const zeros =
    right === undefined ? [] : Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0');
  const groups = [...first, ...zeros, ...last].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${groups.join(':')}::/64`;
}
