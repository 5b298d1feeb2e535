import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bookedState, loadBooking, saveBooking } from './booking-state.ts';

const companyUid = 'a'.repeat(32);
const booked = {
  appointmentUid: 'b'.repeat(32),
  accessCode: 'abcDEF234567',
  startDate: '2031-03-21T15:00:00Z',
  endDate: '2031-03-21T15:30:00Z',
  doctor: { firstName: 'Maya', lastName: 'Reyes' },
  calendar: 'BEGIN:VCALENDAR',
};

beforeEach(() => {
  vi.useFakeTimers();
  sessionStorage.clear();
});
afterEach(() => void vi.useRealTimers());

test('booked visit: its time and provider are stored for a quarter of an hour; its code is not', () => {
  saveBooking(companyUid, bookedState(booked));
  const { startDate, endDate, doctor } = booked;
  expect(loadBooking(companyUid).booked).toMatchObject({ startDate, endDate, doctor });
  const stored = JSON.stringify(sessionStorage);
  for (const secret of [booked.accessCode, booked.appointmentUid, 'VCALENDAR']) expect(stored).not.toContain(secret);
  vi.advanceTimersByTime(15 * 60_000);
  expect(loadBooking(companyUid)).toMatchObject({ booked: null, doctorId: null });
});
