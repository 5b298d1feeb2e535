import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { Settings } from '../settings.ts';

/** Is the one who connected (hop 0), or was named by the hop before, a proxy of ours whose word counts? */
export type TrustedHop = (address: string, hop: number) => boolean;

/** From TRUST_PROXY: a number counts the proxies nearest to us, texts name them. Throws for what is no address. */
export function trustedHops({ TRUST_PROXY }: Pick<Settings, 'TRUST_PROXY'>): TrustedHop {
  if (TRUST_PROXY === null) return () => false;
  if (typeof TRUST_PROXY === 'number') return (_address, hop) => hop < TRUST_PROXY;
  const proxies = new BlockList();
  for (const text of TRUST_PROXY) {
    const [net = '', prefix] = text.split('/');
    if (prefix === undefined) proxies.addAddress(net, family(net));
    else proxies.addSubnet(net, Number(prefix), family(net));
  }
  // What a header says may be anything.
  return (address) => isIP(address) !== 0 && proxies.check(address, family(address));
}

const family = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** Who a request comes from: the last address that is not one of our proxies' (X-Forwarded-For, nearest last). */
export function clientAddress(request: IncomingMessage, isTrusted: TrustedHop): string {
  const named = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== '');
  const hops = [request.socket.remoteAddress ?? '', ...named.toReversed()];
  const client = hops.findIndex((address, hop) => !isTrusted(address, hop));
  return hops.at(client) ?? '';
}
