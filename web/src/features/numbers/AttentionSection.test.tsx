import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { startSignIn } from '../../api/sign-in.ts';
import { renderScreen } from '../../testing/render.tsx';
import { accessToken, fakeServer } from '../../testing/server.ts';
import { AttentionSection } from './AttentionSection.tsx';

test('refund that was not made: says what to do, and leads to the appointment', async () => {
  startSignIn('staff', accessToken({ roles: 'A' }));
  const appointment = { appointmentId: 7, patientId: 3 };
  fakeServer({
    'GET /api/attention': () => ({ data: [{ kind: 'refund-refused', count: 1, date: '', appointment }] }),
  });
  renderScreen(<AttentionSection />, '/admin/home');
  expect(await screen.findByText(/^1 refund was not made\. Refund the card in your account/)).toBeDefined();
  const link = screen.getByRole('link', { name: 'Open the appointment' });
  expect(link.getAttribute('href')).toMatch(/\/appointment-edit\/3\/7$/);
});
