import { Typography } from '@mui/material';
import { numberText } from '@roomside/contract/count-text.ts';
import {
  type CsvImport,
  type CsvProgress,
  downloadWrongRows,
  shownProblems,
} from '@roomside/contract/csv-import/calls.ts';
import { problemText } from '@roomside/contract/csv-import/problems.ts';
import { wordsFor } from '../../api/errors.ts';
import { saveFile, sendForFile } from '../../api/send.ts';
import { Button } from '../../ui/Button.tsx';
import { toast } from '../../ui/toast.ts';
import { kindTexts } from './kind-texts.ts';
import { Note, Tools } from './Step.tsx';
import { texts } from './texts.ts';

/** States in which the whole file was read. */
const readStates: readonly string[] = ['checked', 'done', 'undone'];

/** The counts of a check or an import. */
export function Counts({ of }: { of: CsvProgress }) {
  const shown = (['rows', 'created', 'updated', 'unchanged', 'wrong', 'doubled'] as const).filter(
    (name) => of[name] > 0 || name === 'rows' || name === 'created' || name === 'wrong',
  );
  return (
    <dl className="csv-tiles">
      {shown.map((name) => (
        <div key={name} {...(['wrong', 'doubled'].includes(name) && of[name] > 0 && { 'data-wrong': true })}>
          <dt>
            {name === 'rows' && !readStates.includes(of.state) ? texts.rowsRead : kindTexts[of.type].counts[name]}
          </dt>
          <dd>{numberText(of[name])}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Downloads the rows that are left out. */
export async function saveWrongRows({ fileId, fileName }: { fileId: number; fileName: string }): Promise<void> {
  try {
    const { blob } = await sendForFile(downloadWrongRows, { params: { fileId } });
    saveFile({ blob, name: texts.downloadName(fileName) });
  } catch (error) {
    toast.error(wordsFor(error));
  }
}

/** The first rows that are left out, with line, column and reason, and all of them as a file. */
export function WrongRows({ of, headers }: { of: CsvImport; headers: (columnIdx: number) => string }) {
  if (of.problems.length === 0) return null;
  // A problem of a whole row has no column.
  const hasColumns = of.problems.some((problem) => problem.columnIdx !== null);
  return (
    <>
      <Typography variant="h3">{texts.wrongRows}</Typography>
      <Note>
        {of.problems.length >= shownProblems && texts.wrongRowsShown(of.problems.length)} {kindTexts[of.type].wrongNote}
      </Note>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keys scroll it on a narrow screen. */}
      <div className="csv-scroll" role="region" aria-label={texts.wrongRows} tabIndex={0} style={{ maxHeight: 360 }}>
        <table className="csv-table">
          <thead>
            <tr>
              {[texts.line, ...(hasColumns ? [texts.columnHead, texts.value] : []), texts.problem].map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {of.problems.map((problem) => (
              <tr key={`${problem.line} ${problem.columnIdx} ${problem.code}`}>
                <td data-short>{numberText(problem.line)}</td>
                {hasColumns && <td>{problem.columnIdx === null ? '' : headers(problem.columnIdx)}</td>}
                {hasColumns && <td>{problem.value}</td>}
                <td>{problemText(problem)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {of.hasWrongRows && (
        <Tools>
          <Button look="secondary" onClick={() => void saveWrongRows(of)}>
            {texts.download}
          </Button>
        </Tools>
      )}
    </>
  );
}
