import 'temporal-polyfill/global';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { startSignIn } from '../../api/sign-in.ts';
import { renderScreen } from '../../testing/render.tsx';
import { accessToken, fakeServer, problem } from '../../testing/server.ts';
import { upcomingVisit as visit, upcomingVisits as visits } from '../../testing/upcoming-visits.ts';
import { MoveAppointment } from './MoveAppointment.tsx';

const { appointmentUid: uid } = visit;
const user = userEvent.setup();
beforeEach(() => {
  vi.stubGlobal('scrollTo', () => undefined);
  startSignIn('patient', accessToken({ roles: 'P' }));
});

test('move to the only free time of the month, which was just taken: the next month with free times is shown and focused', async () => {
  let starts = ['2031-04-15T15:00:00.000Z', '2031-05-20T15:00:00.000Z'];
  fakeServer({
    [`GET /api/upcoming-appointments/${uid}/slots`]: ({ query }) => ({
      data: starts
        .filter((start) => start.slice(0, 10) >= String(query['from']) && start.slice(0, 10) <= String(query['to']))
        .map((startDate) => ({ startDate })),
    }),
    [`POST /api/upcoming-appointments/${uid}/move`]: () => {
      starts = starts.slice(1);
      return problem(409, 'slot-taken', { current: { free: [] } });
    },
  });
  renderScreen(<MoveAppointment visits={visits} visit={visit} onDone={() => undefined} />);
  await screen.findByRole('radio', { name: /April 15/ });
  await user.click(screen.getByRole('button', { name: /\d:\d\d [AP]M/ }));
  expect(await screen.findByText('Someone else just took this time. Please pick another one.')).toBeDefined();
  expect(await screen.findByRole('radio', { name: /May 20/ })).toBeDefined();
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'May 2031' }));
});

test('visit whose month is another one where the patient is: the patient’s month is shown first', async () => {
  vi.spyOn(Temporal.Now, 'timeZoneId').mockReturnValue('America/Phoenix');
  onTestFinished(() => void vi.restoreAllMocks());
  const late = { ...visit, startDate: '2031-05-01T02:00:00.000Z' };
  fakeServer({
    [`GET /api/upcoming-appointments/${uid}/slots`]: () => ({
      data: ['2031-04-30T15:00:00.000Z', '2031-05-02T15:00:00.000Z'].map((startDate) => ({ startDate })),
    }),
  });
  renderScreen(<MoveAppointment visits={visits} visit={late} onDone={() => undefined} />);
  expect(await screen.findByRole('heading', { name: 'April 2031' })).toBeDefined();
});
