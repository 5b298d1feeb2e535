import BackIcon from '@mui/icons-material/ArrowBack';
import DeleteIcon from '@mui/icons-material/DeleteOutlined';
import PauseIcon from '@mui/icons-material/Pause';
import PlayIcon from '@mui/icons-material/PlayArrow';
import RestoreIcon from '@mui/icons-material/SettingsBackupRestore';
import StopIcon from '@mui/icons-material/Stop';
import { MenuItem } from '@mui/material';
import { Button } from '../../ui/Button.tsx';
import { ToolSelect } from '../../ui/ToolSelect.tsx';
import { clockText } from './clock-text.ts';
import { type Player, type PlayerView, rates } from './player.ts';
import { texts } from './texts.ts';
import type { Timeline } from './timeline.ts';

interface Props {
  player: Player;
  view: PlayerView;
  timeline: Timeline;
  names: ReadonlyMap<number, string>;
  back: string;
  /** Undefined where this person may not delete. */
  onDeleteAll: (() => void) | undefined;
}

/** REC-2: the buttons, and when each person was recorded. */
export function PlaybackBar({ player, view, timeline, names, back, onDeleteAll }: Props) {
  const { playing, position, rate, hidden, waiting } = view;
  const total = timeline.end - timeline.start;
  const at = position - timeline.start;
  return (
    <section className="rec-bar" aria-label={texts.toolbar}>
      <div className="rec-buttons">
        <Button look="primary" startIcon={playing ? <PauseIcon /> : <PlayIcon />} onClick={() => player.toggle()}>
          {playing ? texts.pause : texts.play}
        </Button>
        <Button look="secondary" startIcon={<StopIcon />} onClick={() => player.stop()}>
          {texts.stop}
        </Button>
        <ToolSelect label={texts.speed} value={rate} onChange={(value) => player.setRate(Number(value))}>
          {rates.map((one) => (
            <MenuItem key={one} value={one}>
              {texts.rate(one)}
            </MenuItem>
          ))}
        </ToolSelect>
        <Button look="quiet" startIcon={<RestoreIcon />} disabled={hidden.size === 0} onClick={() => player.restore()}>
          {texts.restore}
        </Button>
        {onDeleteAll && (
          <Button look="danger" startIcon={<DeleteIcon />} onClick={onDeleteAll}>
            {texts.deleteAll}
          </Button>
        )}
        <Button look="quiet" startIcon={<BackIcon />} to={back}>
          {texts.back}
        </Button>
      </div>
      <div className="rec-seek">
        <p className="rec-time">
          <span data-testid="position">{clockText(at)}</span>
          <span>{waiting ? texts.waiting : clockText(total)}</span>
        </p>
        <input
          type="range"
          min={0}
          max={total}
          step={100}
          value={at}
          aria-label={texts.position}
          aria-valuetext={texts.positionOf(clockText(at), clockText(total))}
          onChange={(event) => player.seek(timeline.start + Number(event.target.value))}
        />
        <Lanes timeline={timeline} names={names} hidden={hidden} />
      </div>
    </section>
  );
}

/** When each person was recorded. The segments of a track are also buttons of its tile. */
function Lanes({ timeline, names, hidden }: Pick<Props, 'timeline' | 'names'> & { hidden: ReadonlySet<number> }) {
  const total = Math.max(1, timeline.end - timeline.start);
  const percent = (ms: number) => `${(ms / total) * 100}%`;
  return (
    <ul className="rec-lanes" aria-hidden="true">
      {timeline.tracks.map(({ id, segments }) => (
        <li key={id} data-hidden={hidden.has(id) || undefined}>
          <span className="rec-lane-name">{names.get(id)}</span>
          <span className="rec-lane">
            {segments.map(({ id: segment, start, stop }) => (
              <span
                key={segment}
                style={{ left: percent(start - timeline.start), width: percent(Math.max(stop - start, total / 200)) }}
              />
            ))}
          </span>
        </li>
      ))}
    </ul>
  );
}
