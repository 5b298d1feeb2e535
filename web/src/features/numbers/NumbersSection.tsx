import { MenuItem, Typography, useMediaQuery } from '@mui/material';
import type { ResultOf } from '@roomside/contract/call.ts';
import { downloadNumbers, getNumbers, type numberTables, numberWeeks } from '@roomside/contract/numbers/calls.ts';
import { type ReactNode, useState } from 'react';
import { sendForFile } from '../../api/send.ts';
import { useRead } from '../../api/use-call.ts';
import { DownloadButton } from '../../list/DownloadButton.tsx';
import { formatDate } from '../../time/time.ts';
import { LoadError } from '../../ui/LoadError.tsx';
import { Section } from '../../ui/Section.tsx';
import { FormSkeleton } from '../../ui/Skeletons.tsx';
import { ToolSelect } from '../../ui/ToolSelect.tsx';
import { type Bar, BarChart, PartBar } from './BarChart.tsx';
import { texts } from './texts.ts';
import './numbers.css';

type Numbers = ResultOf<typeof getNumbers>;

const choices = [4, numberWeeks.initial, 13, numberWeeks.max] as const;

/** The clinic's numbers of the last weeks. Each chart has its figures as text, in a table and as CSV. */
export function NumbersSection() {
  const [weeks, setWeeks] = useState<number>(numberWeeks.initial);
  const read = useRead(getNumbers, { query: { weeks } }, { staleTime: 0, keepPrevious: true });
  if (read.error && !read.data) return <LoadError error={read.error} onRetry={() => void read.refetch()} />;
  if (!read.data) return <FormSkeleton sections={[4, 2, 2]} />;
  const numbers = read.data;
  const { total } = numbers;
  return (
    <>
      <Section
        title={texts.numbers}
        tools={
          <ToolSelect label={texts.weeksLabel} value={weeks} onChange={(value) => setWeeks(Number(value))}>
            {choices.map((count) => (
              <MenuItem key={count} value={count}>
                {texts.weeks(count)}
              </MenuItem>
            ))}
          </ToolSelect>
        }
      >
        <dl className="numbers-tiles">
          <Tile name={texts.visits} value={String(total.visits)} />
          <Tile name={texts.missed} value={texts.percent(total.missed, total.visits + total.missed)} />
          <Tile name={texts.medianWait} value={texts.minutes(total.waitMedian)} />
          <Tile name={texts.p90Wait} value={texts.minutes(total.waitP90)} />
        </dl>
      </Section>
      <Weeks numbers={numbers} weeks={weeks} />
      <Waits numbers={numbers} weeks={weeks} />
      <Providers numbers={numbers} weeks={weeks} />
      <Devices numbers={numbers} weeks={weeks} />
    </>
  );
}

function Tile({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

interface PartProps {
  numbers: Numbers;
  weeks: number;
}

const shortDay = (date: string) => formatDate(date).slice(0, 5);

/** A bar per week. Where there is no space for the values of all weeks, the table shows them. */
function WeekBars({
  weeks,
  barOf,
}: {
  weeks: Numbers['weeks'];
  barOf: (week: Numbers['weeks'][number]) => Omit<Bar, 'label'>;
}) {
  const isPhone = useMediaQuery('(max-width: 599px)', { noSsr: true });
  const isDense = weeks.length > (isPhone ? 8 : 13);
  const bars = weeks.map((week, index) => ({
    ...barOf(week),
    ...(isDense && { text: '' }),
    label: isDense && index % 4 > 0 ? ' '.repeat(index) : shortDay(week.from),
  }));
  return <BarChart bars={bars} />;
}

function Weeks({ numbers, weeks }: PartProps) {
  return (
    <Section title={texts.perWeek} tools={<Download what={texts.perWeek} table="weeks" weeks={weeks} />}>
      <WeekBars
        weeks={numbers.weeks}
        barOf={({ visits, missed }) => ({
          text: missed > 0 ? `${visits} + ${missed}` : String(visits),
          value: visits,
          more: missed,
        })}
      />
      <Typography variant="caption" color="textSecondary">
        {`■ ${texts.visits}  ▨ ${texts.missed}`}
      </Typography>
      <AsTable
        head={[texts.columns.week, texts.visits, texts.missed, texts.cancelled]}
        rows={numbers.weeks.map((week) => [formatDate(week.from), week.visits, week.missed, week.cancelled])}
      />
    </Section>
  );
}

function Waits({ numbers, weeks }: PartProps) {
  return (
    <Section title={texts.waits} tools={<Download what={texts.waits} table="waits" weeks={weeks} />}>
      <WeekBars
        weeks={numbers.weeks}
        barOf={({ waitMedian, waitP90 }) => ({
          text: waitMedian === null || waitP90 === null ? '–' : texts.waitRange(waitMedian, waitP90),
          value: waitMedian ?? 0,
          more: (waitP90 ?? 0) - (waitMedian ?? 0),
        })}
      />
      <Typography variant="caption" color="textSecondary">
        {`■ ${texts.medianWait}  ▨ ${texts.p90Wait}`}
      </Typography>
      <AsTable
        head={[texts.columns.week, texts.visits, texts.medianWait, texts.p90Wait]}
        rows={numbers.weeks.map((week) => [
          formatDate(week.from),
          week.visits,
          texts.minutes(week.waitMedian),
          texts.minutes(week.waitP90),
        ])}
      />
    </Section>
  );
}

function Providers({ numbers: { providers }, weeks }: PartProps) {
  type Provider = Numbers['providers'][number];
  const nameOf = ({ firstName, lastName, openMinutes }: Provider) =>
    openMinutes === null ? texts.former(`${firstName} ${lastName}`) : `${firstName} ${lastName}`;
  const wordsOf = ({ bookedMinutes, openMinutes }: Provider) =>
    openMinutes === null
      ? texts.bookedOnly(texts.hours(bookedMinutes))
      : `${texts.percent(bookedMinutes, openMinutes)} · ${texts.booked(texts.hours(bookedMinutes), texts.hours(openMinutes))}`;
  return (
    <Section title={texts.utilization} tools={<Download what={texts.utilization} table="providers" weeks={weeks} />}>
      {providers.length === 0 && <Typography color="textSecondary">{texts.noProviders}</Typography>}
      <ul className="numbers-list">
        {providers.map((one) => (
          <li key={one.userId}>
            <div className="numbers-list-line">
              <span>{nameOf(one)}</span>
              <span>{wordsOf(one)}</span>
            </div>
            {one.openMinutes !== null && <PartBar part={one.bookedMinutes} of={one.openMinutes} />}
          </li>
        ))}
      </ul>
      {providers.length > 0 && (
        <AsTable
          head={[texts.columns.provider, texts.columns.booked, texts.columns.open]}
          rows={providers.map((one) => [
            nameOf(one),
            texts.hours(one.bookedMinutes),
            one.openMinutes === null ? '–' : texts.hours(one.openMinutes),
          ])}
        />
      )}
    </Section>
  );
}

function Devices({ numbers: { deviceProblems, checks }, weeks }: PartProps) {
  const wordsOf = ({ part, result }: Numbers['deviceProblems'][number]) =>
    `${texts.problem[part]} ${texts.result[result] ?? result}`;
  return (
    <Section title={texts.devices} tools={<Download what={texts.devices} table="devices" weeks={weeks} />}>
      {deviceProblems.length === 0 && <Typography color="textSecondary">{texts.noProblems(checks)}</Typography>}
      <ul className="numbers-list">
        {deviceProblems.map((problem) => (
          <li key={wordsOf(problem)}>
            <div className="numbers-list-line">
              <span>{wordsOf(problem)}</span>
              <span>{texts.ofChecked(problem.count, checks)}</span>
            </div>
            <PartBar part={problem.count} of={checks} />
          </li>
        ))}
      </ul>
      {deviceProblems.length > 0 && (
        <AsTable
          head={[texts.columns.part, texts.columns.count]}
          rows={deviceProblems.map((problem) => [wordsOf(problem), problem.count])}
        />
      )}
    </Section>
  );
}

function AsTable({
  head,
  rows,
}: {
  head: readonly string[];
  rows: readonly (readonly (string | number)[])[];
}): ReactNode {
  return (
    <details className="numbers-table">
      <summary>{texts.table}</summary>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keys scroll it on a narrow screen. */}
      <div className="numbers-scroll" role="region" aria-label={head.join(', ')} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {head.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row[0]}>
                {row.map((cell, index) => (
                  <td key={head[index]}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function Download({ what, table, weeks }: { what: string; table: (typeof numberTables)[number]; weeks: number }) {
  const query = { weeks, table };
  return <DownloadButton label={texts.csv(what)} open={() => sendForFile(downloadNumbers, { query })} />;
}
