import StretchIcon from '@mui/icons-material/AspectRatio';
import CancelIcon from '@mui/icons-material/CancelOutlined';
import CloseIcon from '@mui/icons-material/Close';
import DeleteIcon from '@mui/icons-material/DeleteOutlined';
import DownloadIcon from '@mui/icons-material/DownloadOutlined';
import { IconButton, Tooltip } from '@mui/material';
import type { Recording } from '@roomside/contract/recordings/calls.ts';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { formatExactTime, ownZone } from '../../time/time.ts';
import type { Player } from './player.ts';
import { texts } from './texts.ts';
import { useTrackDownload } from './use-track-download.ts';
import { VideoScreen } from './video-screen.ts';

const words = texts.trackDownload;

interface Props {
  appointmentId: number;
  recording: Recording;
  name: string;
  timeZone: string;
  player: Player;
  /** The segment of the clock's time. */
  playing: string | undefined;
  onExpired: () => void;
  /** Undefined where this person may not delete. */
  onDelete: (() => void) | undefined;
}

/** REC-3: one track with its segments. */
export function TrackTile({ appointmentId, recording, name, timeZone, player, playing, onExpired, onDelete }: Props) {
  const { recordingId, blobs } = recording;
  const [stretched, setStretched] = useState(false);
  const { video, failed } = useScreen(recording, player, onExpired);
  const { percent, start, cancel } = useTrackDownload(appointmentId, recording, name);
  const isDownloading = percent !== undefined;
  return (
    <figure className="rec-tile">
      <div className="rec-video" data-stretched={stretched || undefined}>
        {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- recordings have no captions */}
        <video ref={video} playsInline preload="auto" aria-label={name} data-hidden={!playing || undefined} />
        {!playing && <p>{texts.notRecorded}</p>}
        {playing && failed === playing && <p role="alert">{texts.cannotPlay}</p>}
      </div>
      <figcaption>
        <span className="rec-name">{name}</span>
        <Tool
          label={isDownloading ? words.cancelOf(name) : words.startOf(name)}
          title={isDownloading ? words.cancel : words.start}
          onClick={() => (isDownloading ? cancel() : void start())}
        >
          {isDownloading ? <CancelIcon fontSize="small" /> : <DownloadIcon fontSize="small" />}
        </Tool>
        <Tool
          label={texts.stretchOf(name)}
          title={stretched ? texts.fit : texts.stretch}
          pressed={stretched}
          onClick={() => setStretched(!stretched)}
        >
          <StretchIcon fontSize="small" />
        </Tool>
        {onDelete && (
          <Tool label={texts.deleteOf(name)} title={texts.delete} onClick={onDelete}>
            <DeleteIcon fontSize="small" />
          </Tool>
        )}
        <Tool label={texts.closeOf(name)} title={texts.close} onClick={() => player.hide(recordingId)}>
          <CloseIcon fontSize="small" />
        </Tool>
      </figcaption>
      {isDownloading && (
        <div className="rec-download">
          <span>{words.progress(percent)}</span>
          <progress max={100} value={percent} aria-label={words.progress(percent)} />
        </div>
      )}
      <ul className="rec-segments" aria-label={texts.segments(name)}>
        {blobs.map(({ blobUid, started, stopped, address }) => {
          const time = formatExactTime(started, timeZone, ownZone());
          return (
            <li key={blobUid} data-current={playing === blobUid || undefined}>
              <button
                type="button"
                aria-pressed={playing === blobUid}
                onClick={() => player.select({ id: blobUid, start: Date.parse(started), stop: Date.parse(stopped) })}
              >
                {time}
              </button>
              <a href={address} download aria-label={texts.download(time)} title={texts.download(time)}>
                <DownloadIcon fontSize="inherit" />
              </a>
            </li>
          );
        })}
      </ul>
    </figure>
  );
}

/** Connects the tile's video with the player. `failed` is the segment that cannot be played. */
function useScreen({ recordingId, blobs }: Recording, player: Player, onExpired: () => void) {
  const video = useRef<HTMLVideoElement>(null);
  const screen = useRef<VideoScreen>(undefined);
  const [failed, setFailed] = useState<string>();
  const addressOf = useEffectEvent((segment: string) => blobs.find(({ blobUid }) => blobUid === segment)?.address);
  const expired = useEffectEvent(onExpired);
  /** Segments whose address was renewed after an error, with the address that had failed. */
  const renewed = useRef(new Map<string, string>());

  useEffect(() => {
    const element = video.current;
    if (!element) return;
    const made = new VideoScreen(element, (segment) => addressOf(segment));
    screen.current = made;
    const onError = () => {
      const segment = made.segment ?? '';
      const address = addressOf(segment) ?? '';
      if (renewed.current.has(segment)) return setFailed(segment);
      renewed.current.set(segment, address);
      expired();
    };
    element.addEventListener('error', onError);
    const detach = player.attach(recordingId, made);
    return () => {
      detach();
      element.removeEventListener('error', onError);
      // Ends the download of a closed track.
      element.removeAttribute('src');
      element.load();
    };
  }, [player, recordingId]);

  // A new address for a segment that has failed.
  useEffect(() => {
    const segment = screen.current?.segment;
    const before = segment === undefined ? undefined : renewed.current.get(segment);
    const now = blobs.find(({ blobUid }) => blobUid === segment)?.address;
    if (before !== undefined && now !== before && video.current?.error) screen.current?.reload();
  }, [blobs]);

  return { video, failed };
}

interface ToolProps {
  label: string;
  title: string;
  pressed?: boolean;
  onClick: () => void;
  children: React.ReactNode;
}

function Tool({ label, title, pressed, onClick, children }: ToolProps) {
  return (
    <Tooltip title={title}>
      <IconButton
        size="small"
        aria-label={label}
        aria-pressed={pressed}
        onClick={onClick}
        sx={{ width: 44, height: 44 }}
      >
        {children}
      </IconButton>
    </Tooltip>
  );
}
