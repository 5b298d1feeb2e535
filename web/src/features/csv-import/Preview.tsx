import type { CsvColumns, CsvDefinition } from '@roomside/contract/csv-import/calls.ts';
import { mappingOf } from '@roomside/contract/csv-import/fields.ts';
import { problemText, type RowProblem } from '@roomside/contract/csv-import/problems.ts';
import { Fragment } from 'react';
import { Note } from './Step.tsx';
import { shownKinds } from './shown-fields.ts';
import { texts } from './texts.ts';

const maxShown = 10;
/** The first rows as the import will read them, or why it will not. */
export function Preview({ columns, definition }: { columns: CsvColumns; definition: CsvDefinition }) {
  const { rows, places, today, timeZone, type } = columns;
  const { read, fields: shownFields } = shownKinds[type];
  const { hasHeader, fields, dateOrder, shortYears, nameCase } = definition;
  const mapping = mappingOf(fields);
  const rules = { mapping, dateOrder, shortYears, nameCase, today, timeZone, columns: rows[0]?.length ?? 0 };
  const from = hasHeader ? 1 : 0;
  const data = rows.slice(from, from + maxShown);
  const [first] = places;
  if (hasHeader && first?.fault)
    return <Note>{texts.previewFault(first.line, problemText({ code: first.fault, detail: 0 }))}</Note>;
  if (data.length === 0) return <Note>{texts.previewEmpty}</Note>;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keys scroll it on a narrow screen.
    <div className="csv-scroll" role="region" aria-label={texts.preview} tabIndex={0}>
      <table className="csv-table">
        <thead>
          <tr>
            <th scope="col">{texts.line}</th>
            {shownFields.map(({ label }) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.map((cells, index) => {
            const { line, fault } = places[from + index] ?? { line: from + index + 1, fault: null };
            const { values, problems } = fault ? faulty(fault) : read(cells, rules);
            const ofRow = problems.filter(({ columnIdx }) => columnIdx === null);
            return (
              <Fragment key={line}>
                <tr>
                  <td data-short rowSpan={ofRow.length > 0 ? 2 : 1}>
                    {line}
                  </td>
                  {shownFields.map((field) => (
                    <Value
                      key={field.label}
                      text={field.text(values, rules)}
                      isShort={field.isShort}
                      raw={cells[mapping[field.fields[0]] ?? -1] ?? ''}
                      problems={problems.filter((one) => field.fields.some((name) => isAt(one, mapping[name])))}
                    />
                  ))}
                </tr>
                {ofRow.length > 0 && (
                  <tr className="csv-row-problem">
                    <td data-wrong colSpan={shownFields.length}>
                      <span className="csv-row-text">{ofRow.map(problemText).join(' ')}</span>
                    </td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** A row that cannot be divided into its cells. */
const faulty = (code: RowProblem['code']) => ({ values: {}, problems: [{ code, columnIdx: null, detail: 0 }] });

const isAt = ({ columnIdx }: RowProblem, column: number | null) => column !== null && columnIdx === column;

interface ValueProps {
  text: string;
  isShort: boolean;
  raw: string;
  problems: readonly RowProblem[];
}

function Value({ text, isShort, raw, problems }: ValueProps) {
  if (problems.length === 0) return <td {...(isShort && { 'data-short': true })}>{text}</td>;
  return (
    <td data-wrong>
      <span className="csv-raw">{raw.trim().slice(0, 80)}</span>
      {problems.map(problemText).join(' ')}
    </td>
  );
}
