import 'temporal-polyfill/global';
import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { renderScreen } from '../../testing/render.tsx';
import { fakeServer, problem } from '../../testing/server.ts';
import { FreeTimes } from './FreeTimes.tsx';
import { WhenStep } from './WhenStep.tsx';

const bounds = { from: '2031-03-20', to: '2031-06-18' };
const user = userEvent.setup();
beforeEach(() => {
  vi.stubGlobal('scrollTo', () => undefined);
});

interface TimesProps {
  starts: readonly string[];
  from: string;
  days?: typeof bounds;
  clinicZone?: string;
}

/** The page of free times with these starts, beginning at a month. */
function Times({ starts, from, days = bounds, clinicZone = 'UTC' }: TimesProps) {
  const [month, setMonth] = useState(from);
  return (
    <FreeTimes
      starts={starts.filter((start) => start.startsWith(month)).map((startDate) => ({ startDate }))}
      complete
      month={month}
      onMonth={setMonth}
      bounds={days}
      clinicZone={clinicZone}
      busy={null}
      onPick={() => undefined}
      nothing={<p>Please call.</p>}
    />
  );
}
/** YYYY-MM */
const shown = () => `2031-${new Date(`${month()} 1`).getMonth() + 101}`.replace('-1', '-');
const month = () => screen.getByRole('heading', { name: /^\w+ 2031$/ }).textContent;

test('free times: the first month that has some is shown, also one before the month of the visit', async () => {
  renderScreen(<Times starts={['2031-04-15T15:00:00Z']} from="2031-06" />);
  expect(await screen.findByRole('radio', { name: /April 15/ })).toBeDefined();
  expect(month()).toBe('April 2031');
});

test('month without free times: is not said to be all, when another month has some', async () => {
  renderScreen(<Times starts={['2031-05-15T15:00:00Z']} from="2031-03" />);
  await screen.findByRole('radio', { name: /May 15/ });
  await user.click(screen.getByRole('button', { name: 'Next month' }));
  expect(month()).toBe('June 2031');
  expect(screen.getByText('No times are available this month.')).toBeDefined();
  expect(screen.queryByText('Please call.')).toBeNull();
});

test('no free times in any month: says what to do, once all were searched', async () => {
  renderScreen(<Times starts={[]} from="2031-05" />);
  expect(await screen.findByText('Please call.')).toBeDefined();
});

test('times that became free after all months were searched: another month without any does not say to call', async () => {
  const { rerender } = render(<Times starts={[]} from="2031-05" />);
  await screen.findByText('Please call.');
  rerender(<Times starts={[`${shown()}-15T15:00:00Z`]} from="2031-05" />);
  await screen.findByRole('radio', { name: /15/ });
  await user.click(screen.getByRole('button', { name: 'Next month' }));
  expect(screen.getByText('No times are available this month.')).toBeDefined();
  expect(screen.queryByText('Please call.')).toBeNull();
});

describe('last free time of the month that was found', () => {
  /** Shows April and returns a function that replaces the free times. */
  async function renderApril() {
    const april = '2031-04-15T15:00:00Z';
    const { rerender } = render(<Times starts={[april]} from="2031-04" />);
    await screen.findByRole('radio', { name: /April 15/ });
    return (starts: readonly string[], more: Partial<typeof bounds> = {}) =>
      rerender(<Times starts={starts} from="2031-04" days={{ ...bounds, ...more }} />);
  }

  test('disappears: the next month with free times is shown', async () => {
    const replace = await renderApril();
    replace(['2031-06-10T15:00:00Z']);
    expect(await screen.findByRole('radio', { name: /June 10/ })).toBeDefined();
    // And so again, also when the only one is in an earlier month.
    replace(['2031-03-21T15:00:00Z']);
    expect(await screen.findByRole('radio', { name: /March 21/ })).toBeDefined();
  });

  test('disappears, and no month has any: says what to do', async () => {
    const replace = await renderApril();
    replace([]);
    expect(await screen.findByText('Please call.')).toBeDefined();
  });

  test('disappears as its month ends: says what to do', async () => {
    const replace = await renderApril();
    replace([], { from: '2031-05-01' });
    expect(await screen.findByText('Please call.')).toBeDefined();
  });
});

test('clinic whose clock differs only after the end of summer time: its time is shown on the days on which it differs', async () => {
  vi.spyOn(Temporal.Now, 'timeZoneId').mockReturnValue('America/Phoenix');
  onTestFinished(() => void vi.restoreAllMocks());
  // Los Angeles changes its clocks on November 2.
  const starts = ['2031-11-01T16:00:00Z', '2031-11-03T16:00:00Z'];
  const days = { from: '2031-10-20', to: '2031-12-20' };
  render(<Times starts={starts} from="2031-11" days={days} clinicZone="America/Los_Angeles" />);
  const day = await screen.findByRole('region', { name: /November 1,/ });
  expect(within(day).getByRole('button').textContent).toBe('9:00 AM');
  expect(day.textContent).toContain('Times are shown in your time zone (Mountain Standard Time).');
  await user.click(screen.getByRole('radio', { name: /November 3,/ }));
  expect(within(day).getByRole('button').textContent).toBe('9:00 AM8:00 AM clinic time');
  expect(day.textContent).toContain('with clinic time (Pacific Time) next to them.');
});

test.each([
  ['2031-05-20T15:00:00Z', 'May 2031', /May 20/],
  ['2031-09-20T15:00:00Z', 'March 2031', /March 21/],
])('another time than %s: its day is shown first, while it can be booked', async (near, shownMonth, checked) => {
  const companyUid = 'a'.repeat(32);
  const days = ['2031-03-21', '2031-05-19', '2031-05-20'];
  fakeServer({
    [`GET /api/booking/${companyUid}/slots`]: ({ query }) => ({
      data: days
        .filter((day) => day >= String(query['from']) && day <= String(query['to']))
        .map((day) => ({ startDate: `${day}T15:00:00Z`, doctorId: 1 })),
    }),
  });
  renderScreen(
    <WhenStep
      companyUid={companyUid}
      bounds={bounds}
      near={near}
      clinicZone={'UTC'}
      busy={null}
      doctorId={0}
      onPick={() => undefined}
      nothing={null}
    />,
  );
  expect(await screen.findByRole<HTMLInputElement>('radio', { name: checked })).toHaveProperty('checked', true);
  expect(month()).toBe(shownMonth);
});

test('free times that could not be loaded: can be loaded again', async () => {
  let isDown = true;
  const companyUid = 'a'.repeat(32);
  fakeServer({
    [`GET /api/booking/${companyUid}/slots`]: () =>
      isDown ? problem(422, 'invalid') : { data: [{ startDate: '2031-03-21T15:00:00Z', doctorId: 1 }] },
  });
  renderScreen(
    <WhenStep
      companyUid={companyUid}
      bounds={bounds}
      clinicZone={'UTC'}
      busy={null}
      doctorId={0}
      onPick={() => undefined}
      nothing={null}
    />,
  );
  const again = await screen.findByRole('button', { name: 'Try Again' });
  isDown = false;
  await user.click(again);
  expect(await screen.findByRole('radio', { name: /March 21/ })).toBeDefined();
});
