import { type Backplane, type Logger, memory } from '@roomside/signalr';
import type { Settings } from './settings.ts';

type BackplaneSettings = Pick<Settings, 'REDIS_URL' | 'NATS_URL'>;

/** Opens the backplane that connects the hubs of several instances; in memory for one instance. Loads the client it uses. */
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
      // TLS for all servers when one has it, since they share the password.
      ...(urls.some(({ protocol }) => protocol === 'tls:') && { tls: {} }),
    };
    return nats({ servers: urls.map(({ host }) => host), connection, prefix, logger });
  }
  return memory();
}
