import { listPatients } from '@roomside/contract/patients/calls.ts';
import { screen } from '@testing-library/react';
import { test } from 'vitest';
import { renderScreen } from '../testing/render.tsx';
import { accessToken, fakeServer } from '../testing/server.ts';
import { LoadError } from '../ui/LoadError.tsx';
import { startSignIn } from './sign-in.ts';
import { useRead } from './use-call.ts';

function Total() {
  const { data, error, refetch } = useRead(listPatients, { query: { top: 5, skip: 0 } });
  if (error) return <LoadError error={error} onRetry={() => void refetch()} />;
  return <p>{data ? `${data.total} patients` : 'loading'}</p>;
}

test('failed read: is repeated after the reconnect, without a click', async () => {
  let away = true;
  fakeServer({
    'GET /api/patients': () => {
      if (away) throw new TypeError('The network is away.');
      return { data: [], total: 7 };
    },
  });
  startSignIn('staff', accessToken());
  renderScreen(<Total />);
  dispatchEvent(new Event('offline'));
  await screen.findByText('You seem offline. Check your connection and try again.');
  away = false;
  dispatchEvent(new Event('online'));
  await screen.findByText('7 patients');
});
