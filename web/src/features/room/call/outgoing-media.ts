import type { VideoLimits } from './video-limits.ts';

/**
 * Puts RED (RFC 2198) first, where this browser has it: each packet repeats the sound of the one before, so that a single loss is not
 * heard. Opus with in-band FEC (`useinbandfec=1`, RFC 7587), which browsers offer themselves, stays the second choice. A codec that the
 * other side lacks drops out of the negotiation. Call it before each description: the other side may have added a transceiver.
 */
export function preferRedundantAudio(pc: RTCPeerConnection): void {
  const codecs = RTCRtpReceiver.getCapabilities('audio')?.codecs ?? [];
  const isRed = ({ mimeType }: RTCRtpCodec) => mimeType.toLowerCase() === 'audio/red';
  if (!codecs.some(isRed)) return;
  const preferred = [...codecs.filter(isRed), ...codecs.filter((codec) => !isRed(codec))];
  for (const transceiver of pc.getTransceivers()) {
    if (transceiver.receiver.track.kind === 'audio' && transceiver.direction !== 'stopped')
      transceiver.setCodecPreferences(preferred);
  }
}

/**
 * Takes all tracks from their senders; the caller sets them again. Chromium (153) sends nothing any more after the rollback of an offer on a
 * connection that works, until a sender gets its track again.
 */
export async function stopSending(pc: RTCPeerConnection): Promise<void> {
  await Promise.all(
    pc.getSenders().map(async (sender) => {
      applied.delete(sender);
      if (sender.track) await sender.replaceTrack(null);
    }),
  );
}

/** What was set last, since a browser drops the members that it does not know. */
const applied = new WeakMap<RTCRtpSender, string>();

/**
 * Sends sound with high priority, and video within the limits; null stops the video. Faces move: a smaller picture is better than one that
 * jerks. A shared screen must stay readable, so only its rate is limited. Sets nothing again, so it can be called often.
 */
export async function limitMedia(pc: RTCPeerConnection, video: VideoLimits | null): Promise<void> {
  await Promise.all(pc.getSenders().map(async (sender) => sender.track && (await limit(sender, sender.track, video))));
}

async function limit(sender: RTCRtpSender, track: MediaStreamTrack, video: VideoLimits | null): Promise<void> {
  const isScreen = track.contentHint === 'detail';
  const wanted = JSON.stringify(track.kind === 'audio' ? 'audio' : [isScreen, video]);
  const parameters = sender.getParameters();
  const [encoding] = parameters.encodings;
  // Firefox has none before the negotiation.
  if (!encoding || applied.get(sender) === wanted) return;
  applied.set(sender, wanted);
  if (track.kind === 'audio') Object.assign(encoding, { priority: 'high', networkPriority: 'high' });
  else {
    parameters.degradationPreference = isScreen ? 'maintain-resolution' : 'maintain-framerate';
    const size = isScreen ? { scaleResolutionDownBy: 1 } : {};
    Object.assign(encoding, video ? { active: true, ...video, ...size } : { active: false });
  }
  // A negotiation in progress refuses it; it is set with the next call.
  await sender.setParameters(parameters).catch(() => applied.delete(sender));
}
