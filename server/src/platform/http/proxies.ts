import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { Settings } from '../settings.ts';

/** Returns whether an address is a trusted proxy. Hop 0 is the socket's peer, hop 1 the address that hop 0 reported. */
export type TrustedHop = (address: string, hop: number) => boolean;

/** Builds the check from TRUST_PROXY: the number of proxies, or their addresses and networks. Throws for invalid ones. */
export function trustedHops({ TRUST_PROXY }: Pick<Settings, 'TRUST_PROXY'>): TrustedHop {
  if (TRUST_PROXY === null) return () => false;
  if (typeof TRUST_PROXY === 'number') return (_address, hop) => hop < TRUST_PROXY;
  const proxies = new BlockList();
  for (const text of TRUST_PROXY) {
    const [net = '', prefix] = text.split('/');
    if (prefix === undefined) proxies.addAddress(net, family(net));
    else proxies.addSubnet(net, Number(prefix), family(net));
  }
  // The header may contain any text.
  return (address) => isIP(address) !== 0 && proxies.check(address, family(address));
}

const family = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** Returns the client's address: the nearest one that is not a trusted proxy (X-Forwarded-For lists the nearest last). */
export function clientAddress(request: IncomingMessage, isTrusted: TrustedHop): string {
  const reported = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== '');
  const hops = [request.socket.remoteAddress ?? '', ...reported.toReversed()];
  const client = hops.findIndex((address, hop) => !isTrusted(address, hop));
  return hops.at(client) ?? '';
}
