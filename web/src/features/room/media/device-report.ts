import { type ConnectionSample, connectionOf, type DeviceCheck } from '@roomside/contract/waiting-room/device-check.ts';
import type { LocalMedia } from './local-media.ts';

/** What the person has said or the page has heard during a check. */
export interface Heard {
  /** The microphone has picked up a voice. */
  voice?: boolean;
  /** The person has heard the test sound. */
  sound?: boolean;
  /** The connection's measure; null when the relay or the other side could not be reached. */
  connection?: ConnectionSample | null;
}

/** The result of a check as staff see it. */
export function reportOf(media: LocalMedia, { voice, sound, connection }: Heard): DeviceCheck {
  return {
    camera: cameraOf(media),
    microphone: !media.decided ? 'unknown' : !media.hasSound ? 'missing' : voice === false ? 'silent' : 'works',
    speaker: sound === undefined ? 'unknown' : sound ? 'works' : 'silent',
    connection: connection === undefined ? 'unknown' : connection === null ? 'failed' : connectionOf(connection),
  };
}

function cameraOf(media: LocalMedia): DeviceCheck['camera'] {
  if (media.hasPicture) return 'works';
  const { status } = media.view.get().device;
  switch (status) {
    case 'refused':
    case 'busy':
      return status;
    case 'idle':
    case 'asking':
      return 'unknown';
    default:
      return 'missing';
  }
}
