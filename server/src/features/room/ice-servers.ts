import { createHmac } from 'node:crypto';
import type { Settings } from '../../platform/settings.ts';

/** Lifetime of TURN credentials, seconds. The page requests new ones when they expire. */
const credentialSeconds = 3600;

export interface IceServer {
  urls: string | string[];
  username?: string;
  credential?: string;
}

/**
 * Returns the STUN and TURN servers for one room, by coturn's REST scheme (draft-uberti-behave-turn-rest): the user name is
 * the expiry and the room's uid, the password its HMAC-SHA1. `now` in milliseconds.
 */
export function iceServersFor(settings: Settings, uid: string, now: number): IceServer[] {
  const urls = settings.TURN_URLS ?? [];
  const stun = urls.filter((url) => url.startsWith('stun'));
  const turn = urls.filter((url) => url.startsWith('turn'));
  const servers: IceServer[] = stun.length > 0 ? [{ urls: stun }] : [];
  if (turn.length > 0 && settings.TURN_SECRET !== null) {
    const username = `${Math.floor(now / 1000) + credentialSeconds}:${uid}`;
    const credential = createHmac('sha1', settings.TURN_SECRET).update(username).digest('base64');
    servers.push({ urls: turn, username, credential });
  }
  return servers;
}
