import PhotoCameraIcon from '@mui/icons-material/PhotoCameraOutlined';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { wordsFor } from '../../../api/errors.ts';
import { absoluteLink, to } from '../../../paths.ts';
import { BottomSheet } from '../../../ui/BottomSheet.tsx';
import { Button } from '../../../ui/Button.tsx';
import { toast } from '../../../ui/toast.ts';
import type { Person } from '../call/room-view.ts';
import type { Room } from '../create-room.ts';
import { NoImage } from '../pictures/capture-jpeg.ts';
import { texts } from '../pictures/texts.ts';
import type { Tool } from './tools.ts';
import { useStore } from './use-room.ts';

/** How long the sheet is shown, ms (CONST-4). */
const sheetMs = 5_000;

interface Options {
  room: Room;
  isPatient: boolean;
  patientId: number;
}

/** ROLE-3, ROOM-11: staff take a picture of the patient; both sides get a notice. */
export function usePictureTool({ room, isPatient, patientId }: Options): { tool: Tool | undefined; sheet: ReactNode } {
  const { people } = useStore(room.session.view);
  const { busy, last } = useStore(room.pictures.view);
  const [isShown, setShown] = useState(false);
  const seen = useRef(last);
  useEffect(() => {
    // What happened before this page was opened is over.
    if (last === undefined || last === seen.current) return;
    seen.current = last;
    if (last.outcome === 'failed') toast.error(wordsForFailure(last.error));
    else if (isPatient) toast.info(texts.takenOfYou);
    else setShown(true);
  }, [last, isPatient]);
  if (isPatient) return { tool: undefined, sheet: null };

  const sitter = people.find((person) => person.isPatient && hasImage(person));
  return {
    tool: {
      id: 'picture',
      group: 'share',
      label: texts.take,
      caption: texts.short,
      icon: <PhotoCameraIcon />,
      key: 'P',
      busy,
      disabled: sitter ? undefined : texts.noPatient,
      onSelect: () => void (sitter && takePicture(room, sitter)),
    },
    sheet: (
      <BottomSheet
        open={isShown}
        title={texts.taken}
        closeAfter={sheetMs}
        modal={false}
        onClose={() => setShown(false)}
        actions={
          <>
            <Button look="secondary" onClick={() => openPhotos(patientId)}>
              {texts.open}
            </Button>
            <Button look="quiet" onClick={() => setShown(false)}>
              {texts.close}
            </Button>
          </>
        }
      />
    ),
  };
}

/** In another tab: the visit goes on in this one. */
function openPhotos(patient: number): void {
  window.open(absoluteLink(to.photoList({ patient })), '_blank', 'noopener');
}

/** Whether this person's camera is on. */
export const hasImage = ({ stream, mediaState }: Person): boolean => stream !== undefined && mediaState.picture;

/** ROOM-11: takes a picture of this person. `pictures.view` shows how it ends. */
export function takePicture({ pictures }: Room, { peerId, stream }: Person): Promise<void> {
  return pictures.take({ peerId, track: stream?.getVideoTracks()[0] });
}

function wordsForFailure(error: unknown): string {
  return texts.failed(error instanceof NoImage ? texts.noImage : wordsFor(error));
}
