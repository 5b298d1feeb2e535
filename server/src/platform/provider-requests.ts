import { lookup } from 'node:dns/promises';
import type { Context } from './context.ts';
import { isAllowedScheme, isListedHost, isPublicAddress } from './public-addresses.ts';

/** A provider does not answer, or not as OpenID Connect, or the server does not send requests to its address. */
export class ProviderUnreachable extends Error {
  override name = 'ProviderUnreachable';
}

/** Whether an error is a {@link ProviderUnreachable}, or was caused by one. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof ProviderUnreachable || (error instanceof Error && isUnreachable(error.cause));

type Parts = Pick<Context, 'settings'>;

/**
 * Requires an address that providers may have: https in the public network, or a host of EXTERNAL_PROVIDER_HOSTS. A name that changes its
 * address afterwards reaches no server inside, since that has no certificate for it.
 *
 * @throws ProviderUnreachable
 */
async function requireAllowed({ settings }: Parts, url: URL): Promise<void> {
  const hosts = settings.EXTERNAL_PROVIDER_HOSTS;
  if (!isAllowedScheme(hosts, url.href)) throw new ProviderUnreachable('only https is allowed');
  if (isListedHost(hosts, url)) return;
  const addresses = await lookup(url.hostname.replace(/^\[|\]$/g, ''), { all: true });
  if (!addresses.every(({ address }) => isPublicAddress(address)))
    throw new ProviderUnreachable('in a private network');
}

/**
 * As `fetch`, for addresses that a provider's configuration names. Follows no redirects.
 *
 * @throws ProviderUnreachable
 */
export const providerFetch =
  (parts: Parts) =>
  async (address: string, options: RequestInit): Promise<Response> => {
    try {
      await requireAllowed(parts, new URL(address));
      return await fetch(address, { ...options, redirect: 'manual' });
    } catch (error) {
      throw new ProviderUnreachable('no answer', { cause: error });
    }
  };
