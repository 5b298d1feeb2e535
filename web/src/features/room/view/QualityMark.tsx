import GoodIcon from '@mui/icons-material/SignalCellularAlt';
import PoorIcon from '@mui/icons-material/SignalCellularAlt1Bar';
import FairIcon from '@mui/icons-material/SignalCellularAlt2Bar';
import { Button } from '../../../ui/light/Button.tsx';
import type { Person } from '../call/room-view.ts';
import type { Room } from '../create-room.ts';
import { texts } from '../texts.ts';
import { TileDisclosure } from './TileDisclosure.tsx';
import { useStore } from './use-room.ts';

/** Bars as on a phone: the shape says it, not only the color. */
const icons = { good: GoodIcon, fair: FairIcon, poor: PoorIcon };

interface Props {
  media: Room['media'];
  person: Pick<Person, 'name' | 'quality'>;
}

/** How sound and video of a peer arrive, what helps, and a way to do without video. */
export function QualityMark({ media, person: { name, quality } }: Props) {
  const { savesData } = useStore(media.view);
  if (!quality) return null;
  const words = texts.quality;
  const Icon = icons[quality];
  return (
    <TileDisclosure label={words.with(words.names[quality], name)} icon={<Icon />} warn={quality === 'poor'}>
      <h3>{words.names[quality]}</h3>
      <p>{savesData ? words.saving : words.advice[quality]}</p>
      <Button look="secondary" onClick={() => media.setSavesData(!savesData)}>
        {savesData ? words.videoOn : words.videoOff}
      </Button>
    </TileDisclosure>
  );
}
