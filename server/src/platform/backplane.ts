import { type Backplane, type Logger, memory } from '@roomside/signalr';
import type { Settings } from './settings.ts';

type BackplaneSettings = Pick<Settings, 'REDIS_URL' | 'NATS_URL' | 'INTERNAL_URL' | 'HOST'>;

/** What joins the hubs of several processes; a single one needs nothing. Its client is loaded only where it is used. */
export async function openBackplane({ REDIS_URL, NATS_URL }: BackplaneSettings, logger: Logger): Promise<Backplane> {
  const prefix = 'roomside';
  if (REDIS_URL !== null) {
    const { redis } = await import('@roomside/signalr/redis');
    return redis({ url: REDIS_URL, prefix, logger });
  }
  if (NATS_URL !== null) {
    const { nats } = await import('@roomside/signalr/nats');
    const urls = NATS_URL.map((one) => new URL(one));
    const [first] = urls;
    const connection = {
      ...(first?.username && { user: decodeURIComponent(first.username), pass: decodeURIComponent(first.password) }),
      // One that asks for TLS asks for all of them: the password is the same.
      ...(urls.some(({ protocol }) => protocol === 'tls:') && { tls: {} }),
    };
    return nats({ servers: urls.map(({ host }) => host), connection, prefix, logger });
  }
  return memory();
}

/** Where the other processes reach this one; undefined when nobody could tell. */
export function internalAddress({ INTERNAL_URL, HOST }: BackplaneSettings, scheme: string, port: number) {
  if (INTERNAL_URL !== null) return INTERNAL_URL;
  if (HOST === '0.0.0.0' || HOST === '::') return undefined;
  return `${scheme}://${HOST.includes(':') ? `[${HOST}]` : HOST}:${port}`;
}
