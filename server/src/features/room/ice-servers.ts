import { createHmac } from 'node:crypto';
import type { Settings } from '../../platform/settings.ts';

/** How long a relay's credentials work; a visit asks again when it must, seconds. */
const lifetime = 3600;

export interface IceServer {
  urls: string | string[];
  username?: string;
  credential?: string;
}

/**
 * STUN and TURN servers for one visit: coturn's REST scheme, the user name begins with its expiry and names the visit,
 * the password is its HMAC-SHA1 (draft-uberti-behave-turn-rest). `now` in milliseconds.
 */
export function iceServersFor(settings: Settings, visit: string, now: number): IceServer[] {
  const urls = settings.TURN_URLS ?? [];
  const plain = urls.filter((url) => url.startsWith('stun'));
  const relays = urls.filter((url) => url.startsWith('turn'));
  const servers: IceServer[] = plain.length > 0 ? [{ urls: plain }] : [];
  if (relays.length > 0 && settings.TURN_SECRET !== null) {
    const username = `${Math.floor(now / 1000) + lifetime}:${visit}`;
    const credential = createHmac('sha1', settings.TURN_SECRET).update(username).digest('base64');
    servers.push({ urls: relays, username, credential });
  }
  return servers;
}
