import dns from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isOwnMachine } from './settings.ts';

/** The server sends no request there: not https, or not in the public network. */
export class AddressRefused extends Error {
  override name = 'AddressRefused';
}

/** Hosts of a setting that are in a private network, such as 'login.internal' or '127.0.0.1:4000'; null = none. */
export type PrivateHosts = readonly string[] | null;

/** Whether a setting lists the host of an address, with its port or without. */
export const isListedHost = (hosts: PrivateHosts, url: URL): boolean =>
  hosts?.some((host) => host === url.host || host === url.hostname) ?? false;

/** Whether the scheme of an address is allowed: https, or http on this machine for a listed host. */
export function isAllowedScheme(hosts: PrivateHosts, address: string): boolean {
  const url = new URL(address);
  return (
    url.protocol === 'https:' || (url.protocol === 'http:' && isOwnMachine(url.hostname) && isListedHost(hosts, url))
  );
}

/**
 * Whether an IP address is in the public network: not loopback, link-local, private, shared (CGNAT), multicast, reserved, or one that
 * contains another address (IPv4 in IPv6, 6to4, NAT64).
 */
export const isPublicAddress = (address: string): boolean => ipaddr.process(address).range() === 'unicast';

/** The host of an address as an IP address without brackets, or null for a name. */
export function ipOf(url: URL): string | null {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? null : host;
}

/** As `dns.lookup`, for connections: fails with {@link AddressRefused} when the name has an address that is not public. */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  dns.lookup(hostname, { ...options, all: true }, (error, found) => {
    if (error) return callback(error, []);
    if (!found.every(({ address }) => isPublicAddress(address)))
      return callback(new AddressRefused('in a private network'), []);
    const [first] = found;
    if (options.all) callback(null, found);
    else callback(null, first?.address ?? '', first?.family);
  });
};
