import LockIcon from '@mui/icons-material/LockOutlined';
import type { Person } from '../call/room-view.ts';
import { texts } from '../texts.ts';
import { TileDisclosure } from './TileDisclosure.tsx';

/** The two words that both sides compare by voice. */
export function VerificationWords({ person: { name, words } }: { person: Pick<Person, 'name' | 'words'> }) {
  return (
    <TileDisclosure label={texts.verification.button(name)} icon={<LockIcon />}>
      <h3>{texts.verification.title}</h3>
      {words ? (
        <>
          <p className="tile-words" translate="no">
            {words.join(' ')}
          </p>
          <p>{texts.verification.explained(name)}</p>
        </>
      ) : (
        <p>{texts.verification.preparing}</p>
      )}
    </TileDisclosure>
  );
}
