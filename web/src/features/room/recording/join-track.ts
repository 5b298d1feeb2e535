import {
  type AudioCodec,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  type InputAudioTrack,
  type InputVideoTrack,
  MP4,
  Mp4OutputFormat,
  Output,
  type Source,
  type Target,
  type VideoCodec,
  WEBM,
  WebMOutputFormat,
} from 'mediabunny';

/** When a segment is played in the joined file, s since the start of its track. */
export interface PlannedSegment {
  readonly id: string;
  readonly from: number;
  readonly until: number;
}

/** The segments of a track have formats that do not fit into one file without encoding them again. */
export class NotJoinable extends Error {
  override readonly name = 'NotJoinable';
}

interface JoinOptions {
  /** By time. */
  readonly plan: readonly PlannedSegment[];
  /** The content of a segment. */
  readonly sourceOf: (id: string) => Source;
  readonly container: 'mp4' | 'webm';
  readonly target: Target;
  /** Gets the written part, 0 to 1. */
  readonly onProgress: (part: number) => void;
  readonly signal: AbortSignal;
}

/** Longer times without sound are filled with silence, s: players would play what follows too early. */
const maxSoundGap = 0.1;
/** A frame of silence in Opus, and its length, s. */
const silence = { data: new Uint8Array([0xf8, 0xff, 0xfe]), duration: 0.02 };

/**
 * Joins the segments of a track into one file without encoding anything again. Duration and seek points are right; at times without a
 * recording the last image stays, without sound.
 *
 * @throws NotJoinable; the signal's reason when aborted; errors of the source and the target
 */
export async function joinTrack(options: JoinOptions): Promise<void> {
  const { plan, sourceOf, container, target, signal } = options;
  const inputs = plan.map(({ id }) => new Input({ source: sourceOf(id), formats: [MP4, WEBM] }));
  const output = new Output({ target, format: container === 'mp4' ? new Mp4OutputFormat() : new WebMOutputFormat() });
  // Ends reads that are under way.
  const stop = () => {
    for (const input of inputs) input.dispose();
  };
  signal.addEventListener('abort', stop);
  try {
    const segments: OpenSegment[] = [];
    for (const [index, planned] of plan.entries()) {
      signal.throwIfAborted();
      const input = inputs[index];
      if (input) segments.push(await openSegment(planned, input));
    }
    const writers = addTracks(output, segments);
    await output.start();
    for (const segment of segments) await writeSegment(segment, writers, options);
    await output.finalize();
  } catch (error) {
    await output.cancel();
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

interface OpenSegment {
  readonly planned: PlannedSegment;
  readonly video:
    | { readonly track: InputVideoTrack; readonly config: VideoDecoderConfig; codec: VideoCodec }
    | undefined;
  readonly audio:
    | { readonly track: InputAudioTrack; readonly config: AudioDecoderConfig; codec: AudioCodec }
    | undefined;
}

async function openSegment(planned: PlannedSegment, input: Input): Promise<OpenSegment> {
  const [video, audio] = [await input.getPrimaryVideoTrack(), await input.getPrimaryAudioTrack()];
  const [picture, sound] = [await video?.getDecoderConfig(), await audio?.getDecoderConfig()];
  const [videoCodec, audioCodec] = [await video?.getCodec(), await audio?.getCodec()];
  if (video && !(picture && videoCodec)) await requireEmpty(video);
  if (audio && !(sound && audioCodec)) await requireEmpty(audio);
  return {
    planned,
    video: video && picture && videoCodec ? { track: video, config: picture, codec: videoCodec } : undefined,
    audio: audio && sound && audioCodec ? { track: audio, config: sound, codec: audioCodec } : undefined,
  };
}

/** A track of an unknown format may be left out only when it has nothing. */
async function requireEmpty(track: InputVideoTrack | InputAudioTrack): Promise<void> {
  if (await new EncodedPacketSink(track).getFirstPacket()) throw new NotJoinable('A track has an unknown format.');
}

/** Writes the packets of one kind, in order. */
interface Writer {
  /** `timestamp` is in the joined file. */
  write(packet: EncodedPacket, timestamp: number): Promise<void>;
}
interface Writers {
  readonly video: Writer | undefined;
  readonly audio: Writer | undefined;
}

function addTracks(output: Output, segments: readonly OpenSegment[]): Writers {
  const video = oneFormat(segments.flatMap((segment) => segment.video ?? []));
  const audio = oneFormat(segments.flatMap((segment) => segment.audio ?? []));
  if (!video && !audio) throw new NotJoinable('No segment has a known format.');
  return { video: video && addVideo(output, video), audio: audio && addAudio(output, audio) };
}

/** The format of all; undefined without any. */
function oneFormat<T extends { codec: string; config: { description?: AllowSharedBufferSource } }>(
  all: readonly T[],
): T | undefined {
  const [first] = all;
  for (const { codec, config } of all) {
    if (codec !== first?.codec) throw new NotJoinable(`${codec} after ${first?.codec}.`);
    // These codecs describe themselves in their packets.
    if (!['vp8', 'vp9', 'av1', 'opus'].includes(codec) && !isEqual(config.description, first.config.description))
      throw new NotJoinable(`The settings of ${codec} have changed.`);
  }
  return first;
}

function isEqual(one: AllowSharedBufferSource | undefined, other: AllowSharedBufferSource | undefined): boolean {
  const [a, b] = [bytesOf(one), bytesOf(other)];
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

function bytesOf(source: AllowSharedBufferSource | undefined): Uint8Array {
  if (source === undefined) return new Uint8Array();
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
}

function addVideo(output: Output, { codec, config }: NonNullable<OpenSegment['video']>): Writer {
  const source = new EncodedVideoPacketSource(codec);
  output.addVideoTrack(source);
  return {
    write: (packet, timestamp) => source.add(packet.clone({ timestamp }), { decoderConfig: config }),
  };
}

function addAudio(output: Output, { codec, config }: NonNullable<OpenSegment['audio']>): Writer {
  const source = new EncodedAudioPacketSource(codec);
  output.addAudioTrack(source);
  const meta = { decoderConfig: config };
  let end = 0;
  return {
    async write(packet, timestamp) {
      if (codec === 'opus' && timestamp - end > maxSoundGap) {
        for (; end + silence.duration <= timestamp + 0.001; end += silence.duration)
          await source.add(new EncodedPacket(silence.data, 'key', end, silence.duration), meta);
      }
      await source.add(packet.clone({ timestamp }), meta);
      // WebM does not say how long the last packet is.
      end = timestamp + (packet.duration || silence.duration);
    },
  };
}

/** Packets of one kind that are still to be written. */
interface Reader {
  readonly writer: Writer;
  readonly packets: AsyncGenerator<EncodedPacket, void, unknown>;
  next: EncodedPacket | undefined;
}

/** Writes a segment's packets by time, both kinds mixed. */
async function writeSegment(
  { planned, video, audio }: OpenSegment,
  writers: Writers,
  { plan, onProgress, signal }: JoinOptions,
): Promise<void> {
  const length = plan.at(-1)?.until ?? 1;
  const readers: Reader[] = [];
  const begin = async (track: InputVideoTrack | InputAudioTrack | undefined, writer: Writer | undefined) => {
    if (!track || !writer) return;
    const sink = new EncodedPacketSink(track);
    // What comes before the first key frame cannot be shown.
    const packets = sink.packets((await sink.getFirstKeyPacket()) ?? undefined);
    readers.push({ writer, packets, next: (await packets.next()).value ?? undefined });
  };
  await begin(video?.track, writers.video);
  await begin(audio?.track, writers.audio);
  for (;;) {
    signal.throwIfAborted();
    const reader = earliest(readers);
    if (!reader?.next) return;
    const timestamp = planned.from + Math.max(0, reader.next.timestamp);
    if (timestamp >= planned.until) {
      reader.next = undefined;
      await reader.packets.return();
      continue;
    }
    await reader.writer.write(reader.next, timestamp);
    onProgress(Math.min(1, timestamp / length));
    reader.next = (await reader.packets.next()).value ?? undefined;
  }
}

function earliest(readers: readonly Reader[]): Reader | undefined {
  return readers
    .filter(({ next }) => next !== undefined)
    .toSorted((a, b) => (a.next?.timestamp ?? 0) - (b.next?.timestamp ?? 0))[0];
}
