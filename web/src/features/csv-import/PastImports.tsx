import { type CsvSummary, listCsvImports } from '@roomside/contract/csv-import/calls.ts';
import type { ImportType } from '@roomside/contract/csv-import/fields.ts';
import { useRead } from '../../api/use-call.ts';
import { formatDateTime, ownZone } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { Section } from '../../ui/Section.tsx';
import { kindTexts } from './kind-texts.ts';
import { saveWrongRows } from './Outcome.tsx';
import { useUndo } from './RunStep.tsx';
import { Tools } from './Step.tsx';
import { texts } from './texts.ts';

/** The imports of the company: who, when, counts. */
export function PastImports({ onOpen }: { onOpen: (fileId: number, type: ImportType) => void }) {
  const read = useRead(listCsvImports, undefined, { staleTime: 0 });
  const past = read.data?.data ?? [];
  const undo = useUndo((fileId) => onOpen(fileId, past.find((one) => one.fileId === fileId)?.type ?? 'Patient'));
  if (past.length === 0) return null;
  return (
    <Section title={texts.past}>
      <ul className="csv-past">
        {past.map((one) => (
          <li key={one.fileId}>
            <div>
              <div className="csv-past-name">{one.fileName}</div>
              <div className="csv-past-detail">
                {kindTexts[one.type].tab} ·{' '}
                {texts.pastBy(`${one.by.firstName} ${one.by.lastName}`, formatDateTime(one.uploadedAt, ownZone()))} ·{' '}
                {texts.states[one.state]}
                {one.state === 'undone' && one.kept > 0 && `, ${texts.pastKept(one.kept)}`}
              </div>
              <div className="csv-past-detail">
                {texts.pastCounts(one.created, one.updated, one.unchanged, one.wrong + one.doubled)}
              </div>
            </div>
            <Actions of={one} onOpen={() => onOpen(one.fileId, one.type)} onUndo={() => void undo(one)} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface ActionsProps {
  of: CsvSummary;
  onOpen: () => void;
  onUndo: () => void;
}

function Actions({ of, onOpen, onUndo }: ActionsProps) {
  const { fileName } = of;
  const isRest = of.state === 'undone';
  return (
    <Tools>
      {of.hasWrongRows && (
        <Button look="quiet" aria-label={texts.wrongRowsOf(fileName)} onClick={() => void saveWrongRows(of)}>
          {texts.wrongRowsShort}
        </Button>
      )}
      {of.undoUntil !== null && (
        <Button look="danger" aria-label={(isRest ? texts.undoRestOf : texts.undoOf)(fileName)} onClick={onUndo}>
          {isRest ? texts.undoRest : texts.undoShort}
        </Button>
      )}
      <Button look="quiet" aria-label={texts.openOf(fileName)} onClick={onOpen}>
        {texts.openShort}
      </Button>
    </Tools>
  );
}
