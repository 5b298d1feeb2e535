import { describe, expect, test } from 'vitest';
import {
  type AppointmentState,
  type ChangePlan,
  type ChangeRequest,
  type Creation,
  planChange,
  planCreation,
} from './change.ts';
import { hasBegun } from './over.ts';
import { type Status, statuses } from './status.ts';

const now = '2026-03-02T12:00:00.000Z';
const booked: AppointmentState = {
  startsAt: '2026-03-02T14:00:00.000Z',
  endsAt: '2026-03-02T14:30:00.000Z',
  doctorId: 7,
  patientId: 21,
  cancelled: false,
  cancelledAt: null,
  plannedStart: null,
  status: 'scheduled',
  hasBegun: false,
};
const cancelledBefore: Partial<AppointmentState> = {
  cancelled: true,
  cancelledAt: '2026-03-01T09:00:00.000Z',
  status: 'cancelled',
};

type Save = Extract<ChangeRequest, { kind: 'save' }>;
const save = (wanted: Partial<Save> = {}): Save => {
  const { startsAt, endsAt, doctorId, patientId, cancelled } = booked;
  return { kind: 'save', startsAt, endsAt, doctorId, patientId, cancelled, renewsCode: false, ...wanted };
};
const later = { startsAt: '2026-03-02T15:00:00.000Z', endsAt: '2026-03-02T15:30:00.000Z' };

/** What every plan below has unless its row says otherwise. */
const nothing = {
  isChange: true,
  immediate: null,
  provider: 'none',
  patient: 'any',
  reassignsPatient: false,
  setsStart: false,
  renewsCode: false,
  updatesCalendar: false,
  endsRoom: false,
  notification: null,
  archives: false,
  plannedStart: null,
} as const;

type Row = [name: string, before: Partial<AppointmentState>, request: ChangeRequest, plan: Partial<ChangePlan>];

const rows: Row[] = [
  ['save: the same again', {}, save(), {}],
  [
    'save: a later start',
    {},
    save(later),
    {
      ...later,
      immediate: false,
      provider: 'claim',
      patient: 'active',
      setsStart: true,
      updatesCalendar: true,
      notification: 'newTime',
    },
  ],
  [
    'save: another provider',
    {},
    save({ doctorId: 8 }),
    {
      doctorId: 8,
      immediate: false,
      provider: 'claim',
      patient: 'active',
      updatesCalendar: true,
      notification: 'newTime',
    },
  ],
  [
    'save: longer, of which the patient is not notified',
    {},
    save({ endsAt: '2026-03-02T15:00:00.000Z' }),
    { endsAt: '2026-03-02T15:00:00.000Z', immediate: false, provider: 'claim', updatesCalendar: true },
  ],
  ['save: a new code', {}, save({ renewsCode: true }), { renewsCode: true }],
  [
    'save: another patient',
    {},
    save({ patientId: 22 }),
    { patientId: 22, patient: 'new', reassignsPatient: true, renewsCode: true },
  ],
  [
    'save: another patient and time, of which only an invitation speaks',
    {},
    save({ patientId: 22, ...later }),
    {
      ...later,
      patientId: 22,
      patient: 'new',
      reassignsPatient: true,
      renewsCode: true,
      immediate: false,
      provider: 'claim',
      setsStart: true,
      updatesCalendar: true,
    },
  ],
  [
    'save: cancelled',
    {},
    save({ cancelled: true }),
    {
      cancelled: true,
      cancelledAt: now,
      renewsCode: true,
      updatesCalendar: true,
      endsRoom: true,
      notification: 'cancelled',
    },
  ],
  [
    'save: cancelled, with another time, provider and patient, which are not saved',
    {},
    save({ ...later, cancelled: true, doctorId: 8, patientId: 22 }),
    {
      startsAt: booked.startsAt,
      endsAt: booked.endsAt,
      doctorId: 7,
      patientId: 21,
      cancelled: true,
      cancelledAt: now,
      renewsCode: true,
      updatesCalendar: true,
      endsRoom: true,
      notification: 'cancelled',
    },
  ],
  [
    'save: still cancelled, with another provider who is not claimed',
    cancelledBefore,
    save({ cancelled: true, doctorId: 8 }),
    {
      doctorId: 8,
      cancelled: true,
      cancelledAt: '2026-03-01T09:00:00.000Z',
      provider: 'lock',
      updatesCalendar: true,
    },
  ],
  [
    'save: still cancelled, at another time',
    cancelledBefore,
    save({ cancelled: true, ...later }),
    {
      ...later,
      cancelled: true,
      cancelledAt: '2026-03-01T09:00:00.000Z',
      setsStart: true,
      updatesCalendar: true,
    },
  ],
  [
    'save: re-activated',
    cancelledBefore,
    save(),
    {
      cancelled: false,
      cancelledAt: null,
      immediate: false,
      provider: 'claim',
      patient: 'active',
      setsStart: true,
      updatesCalendar: true,
    },
  ],
  [
    'move: to a later start, the length kept',
    {},
    { kind: 'move', startsAt: later.startsAt, doctorId: 7 },
    {
      ...later,
      immediate: false,
      provider: 'claim',
      patient: 'active',
      setsStart: true,
      updatesCalendar: true,
      notification: 'newTime',
    },
  ],
  [
    'move: to another provider',
    { status: 'missed' },
    { kind: 'move', startsAt: booked.startsAt, doctorId: 8 },
    {
      doctorId: 8,
      immediate: false,
      provider: 'claim',
      patient: 'active',
      updatesCalendar: true,
      notification: 'newTime',
    },
  ],
  [
    'move: to where it is',
    {},
    { kind: 'move', startsAt: booked.startsAt, doctorId: 7 },
    { isChange: false, patient: 'active' },
  ],
  [
    'connect: starts now, the planned start kept',
    {},
    { kind: 'connect' },
    {
      startsAt: now,
      endsAt: '2026-03-02T12:30:00.000Z',
      plannedStart: booked.startsAt,
      immediate: true,
      patient: 'active',
      updatesCalendar: true,
    },
  ],
  [
    'connect: for the second time, the first planned start kept',
    { plannedStart: '2026-03-02T10:00:00.000Z' },
    { kind: 'connect' },
    {
      startsAt: now,
      endsAt: '2026-03-02T12:30:00.000Z',
      plannedStart: '2026-03-02T10:00:00.000Z',
      immediate: true,
      patient: 'active',
      updatesCalendar: true,
    },
  ],
  [
    'handOver: takes the time of the other provider',
    { status: 'waiting' },
    { kind: 'handOver', doctorId: 8 },
    { doctorId: 8, provider: 'claim', patient: 'active', updatesCalendar: true },
  ],
  [
    'handOver: to the provider who has it',
    { status: 'waiting' },
    { kind: 'handOver', doctorId: 7 },
    { isChange: false },
  ],
  [
    'cancel',
    { status: 'missed' },
    { kind: 'cancel' },
    {
      cancelled: true,
      cancelledAt: now,
      renewsCode: true,
      updatesCalendar: true,
      endsRoom: true,
      notification: 'cancelled',
    },
  ],
  [
    'save: cancelled after its end',
    { startsAt: '2026-03-01T14:00:00.000Z', endsAt: '2026-03-01T14:30:00.000Z', status: 'missed' },
    save({ startsAt: '2026-03-01T14:00:00.000Z', endsAt: '2026-03-01T14:30:00.000Z', cancelled: true }),
    {
      cancelled: true,
      cancelledAt: now,
      renewsCode: true,
      updatesCalendar: true,
      endsRoom: true,
      notification: 'cancelled',
    },
  ],
  [
    'delete: still to come',
    {},
    { kind: 'delete', hasActivity: false },
    { renewsCode: true, updatesCalendar: true, endsRoom: true, notification: 'cancelled', archives: true },
  ],
  [
    'delete: cancelled before',
    cancelledBefore,
    { kind: 'delete', hasActivity: false },
    {
      cancelled: true,
      cancelledAt: '2026-03-01T09:00:00.000Z',
      renewsCode: true,
      updatesCalendar: true,
      endsRoom: true,
      archives: true,
    },
  ],
  [
    'delete: past its end',
    { startsAt: '2026-03-01T14:00:00.000Z', endsAt: '2026-03-01T14:30:00.000Z', status: 'missed' },
    { kind: 'delete', hasActivity: false },
    { renewsCode: true, updatesCalendar: true, endsRoom: true, notification: 'cancelled', archives: true },
  ],
];

test.each(rows)('%s', (_, before, request, plan) => {
  const { startsAt, endsAt, doctorId, patientId, cancelled, cancelledAt } = {
    ...booked,
    ...before,
    ...values(request),
  };
  const stays = { startsAt, endsAt, doctorId, patientId, cancelled, cancelledAt };
  expect(planChange({ ...booked, ...before }, request, now)).toEqual({ ...stays, ...nothing, ...plan });
});

/** The values that a form sets; other requests set what their row says. */
function values(request: ChangeRequest): Partial<AppointmentState> {
  if (request.kind !== 'save') return {};
  const { startsAt, endsAt, doctorId, patientId, cancelled } = request;
  return { startsAt, endsAt, doctorId, patientId, cancelled };
}

describe('a new appointment', () => {
  const { startsAt, endsAt, doctorId, patientId } = booked;
  const wanted = { startsAt, endsAt, doctorId, patientId };
  const created = { ...nothing, ...wanted, patient: 'new', renewsCode: true, updatesCalendar: true };
  const kept = { cancelled: false, cancelledAt: null };

  test.each<[name: string, Pick<Creation, 'cancelled' | 'immediate'>, Partial<ChangePlan>]>([
    ['claims its time', { cancelled: false, immediate: false }, { ...kept, immediate: false, provider: 'claim' }],
    ['immediate: takes no time', { cancelled: false, immediate: true }, { ...kept, immediate: true, provider: 'none' }],
    [
      'cancelled from the beginning: claims no time',
      { cancelled: true, immediate: false },
      { cancelled: true, cancelledAt: now, immediate: false, provider: 'lock' },
    ],
  ])('%s', (_, of, plan) => {
    expect(planCreation({ ...wanted, ...of }, now)).toEqual({ ...created, ...plan });
  });
});

/** What is refused, by status; what a status does not name is possible. */
const move: ChangeRequest = { kind: 'move', startsAt: later.startsAt, doctorId: 7 };
const refused: [name: string, request: ChangeRequest, Partial<Record<Status, string>>][] = [
  ['save: at another time', save(later), { completed: 'has-started', inProgress: 'has-started' }],
  ['save: at the same time', save(), {}],
  ['save: cancelled, at another time', save({ ...later, cancelled: true }), {}],
  ['move', move, { completed: 'has-started', inProgress: 'has-started', cancelled: 'appointment-cancelled' }],
  [
    'connect',
    { kind: 'connect' },
    { completed: 'visit-over', inProgress: 'has-started', cancelled: 'appointment-cancelled' },
  ],
  [
    'handOver',
    { kind: 'handOver', doctorId: 8 },
    { completed: 'visit-over', inProgress: 'has-started', cancelled: 'appointment-cancelled' },
  ],
  ['cancel', { kind: 'cancel' }, { cancelled: 'appointment-cancelled' }],
  ['delete: without activity', { kind: 'delete', hasActivity: false }, {}],
];

describe.each(refused)('%s', (_, request, refusals) => {
  test.each(statuses)('appointment that is %s: the change is refused as listed, or possible', (status) => {
    const before = { ...booked, ...(status === 'cancelled' && cancelledBefore), status, hasBegun: hasBegun(status) };
    const plan = planChange(before, request, now);
    expect('refusal' in plan ? plan.refusal : undefined).toBe(refusals[status]);
  });
});

test('save: one that was held and cancelled is restored at its time only', () => {
  const before = { ...booked, ...cancelledBefore, hasBegun: true };
  expect(planChange(before, save(later), now)).toEqual({ refusal: 'has-started' });
  expect(planChange(before, save({ doctorId: 8 }), now)).toEqual({ refusal: 'has-started' });
  expect(planChange(before, save(), now)).toMatchObject({ cancelled: false });
});

test('delete: refused after any activity', () => {
  expect(planChange(booked, { kind: 'delete', hasActivity: true }, now)).toEqual({ refusal: 'has-activity' });
});

test('connect: refused when the link no longer works', () => {
  const past = { ...booked, endsAt: '2026-03-01T11:59:00.000Z', status: 'missed' as const };
  expect(planChange(past, { kind: 'connect' }, now)).toEqual({ refusal: 'visit-over' });
});
