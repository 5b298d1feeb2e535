import type { Person } from '../call/room-view.ts';
import type { Room } from '../create-room.ts';
import { QualityMark } from './QualityMark.tsx';
import { VerificationWords } from './VerificationWords.tsx';
import './tile-tools.css';

/** What a person can look up about the connection to one peer, in the corner of the peer's tile. */
export function TileTools({ media, person }: { media: Room['media']; person: Person }) {
  return (
    <div className="tile-tools">
      <VerificationWords person={person} />
      <QualityMark media={media} person={person} />
    </div>
  );
}
