import ipaddr from 'ipaddr.js';

/** What a client's address counts as for rate limits. */
export interface Networks {
  /** One customer: an IPv4 address, or the /56 of an IPv6 address, which is what providers hand out. */
  readonly customer: string;
  /** The /48 that an IPv6 customer may hold; null for IPv4. */
  readonly site: string | null;
}

/** The limit of a site is that of a customer, times this. */
export const customersPerSite = 4;

/** Returns the networks of an address in any spelling. IPv4 in IPv6 (::ffff:203.0.113.7) counts as the IPv4 address. */
export function networksOf(address: string): Networks {
  // A zone (fe80::1%eth0) names an interface of this machine, not a client.
  const bare = address.split('%')[0] ?? '';
  if (!ipaddr.isValid(bare)) return { customer: 'unknown', site: null };
  const parsed = ipaddr.process(bare);
  if (parsed instanceof ipaddr.IPv4) return { customer: parsed.toString(), site: null };
  const prefix = (bits: number) =>
    `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString()}/${bits}`).toString()}/${bits}`;
  return { customer: prefix(56), site: prefix(48) };
}
