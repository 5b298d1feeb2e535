import { moveUndoMs } from '@roomside/contract/limits.ts';
import type { MoveNotice } from '@roomside/contract/schedule/calls.ts';

/** Texts of the calendars. */
export const texts = {
  title: 'Schedule',
  new: 'New Appointment',
  weekdays: ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
  zone: (zone: string) => `Times are in clinic time (${zone}).`,

  panel: 'Calendar',
  openPanel: 'Date and providers',
  close: 'Close',
  navigation: 'Dates',
  today: 'Today',
  month: 'Month',
  day: 'Day',
  goTo: 'Go to date',
  previousDay: 'Previous day',
  nextDay: 'Next day',
  previousMonth: 'Previous month',
  nextMonth: 'Next month',
  providers: 'Providers',
  all: 'All',
  none: 'None',
  formerProvider: 'Former provider',
  rules: 'Scheduling rules',
  timeOff: 'Closures and leave',

  requests: (count: number) => `Time requests (${count})`,
  refreshRequests: 'Refresh requests',
  requestsHint: 'Patients who found no time that works for them.',
  wishes: (provider: string) => `With ${provider}`,
  makeAppointment: 'Make appointment',
  makeAppointmentFor: (name: string) => `Make appointment for ${name}`,
  done: 'Mark as handled',
  doneWith: (name: string) => `Mark as handled: the request from ${name}`,
  closed: 'The request has been marked as handled.',

  noProviders: 'There are no providers yet.',
  noProvidersHint: 'Enabled administrators and doctors have a column here.',
  noneTicked: 'No provider is selected.',
  noneTickedHint: 'Select at least one to see appointments.',
  showAll: 'Show all providers',

  closedFor: (reason: string) => (reason ? `Closed: ${reason}` : 'Closed'),
  leaveFor: (reason: string) => (reason ? `On leave: ${reason}` : 'On leave'),
  leaveOf: (provider: string, reason: string) => (reason ? `Leave: ${provider}, ${reason}` : `Leave: ${provider}`),

  busy: 'Busy (external calendar)',
  busyAllDay: (provider: string) => `Busy: ${provider}`,
  busyTime: (from: string, to: string) => `from ${from} to ${to}`,

  appointments: (count: number) =>
    count === 0 ? 'no appointments' : count === 1 ? '1 appointment' : `${count} appointments`,
  noOpenTime: 'no open time',
  more: (count: number) => `+${count} more`,
  agendaEmpty: 'No appointments on this day.',
  openDay: 'Open the day',

  column: (provider: string, count: number) => `${provider}, ${texts.appointments(count)}`,
  slot: (time: string, provider: string) => `New appointment at ${time} with ${provider}`,
  slotHow: 'Arrow keys choose time and provider, Enter opens.',
  entry: (patient: string, from: string, to: string, provider: string, status: string) =>
    `${patient} ${from} to ${to}, with ${provider}, ${status}`,
  continuedEntry: (patient: string, from: string, to: string, provider: string, status: string) =>
    `${patient} until ${to}, from ${from} the day before, with ${provider}, ${status}`,
  until: (time: string) => `until ${time}`,
  entryHow: 'Enter opens the appointment, Space picks it up to move it.',
  status: {
    cancelled: 'cancelled',
    completed: 'completed',
    inProgress: 'in progress',
    waiting: 'patient is waiting',
    missed: 'missed',
    scheduled: 'scheduled',
  },
  held: (patient: string) => `${patient} picked up. Arrow keys move, Space or Enter drops, Escape cancels.`,
  place: (time: string, provider: string) => `${time}, ${provider}`,
  dropped: (patient: string, time: string, provider: string) => `${patient} dropped at ${time}, ${provider}.`,
  beganBefore: 'It started the day before. Move it there.',
  cancelledMove: (patient: string) => `${patient} stays where it was.`,
  /** `where`: the time, or the provider when the time is the same. */
  moved: (patient: string, where: string) => `${patient} moved to ${where}.`,
  movedBack: (patient: string, where: string) => `${patient} moved back to ${where}.`,
  /** What the patient gets about a move; nothing when they know already. */
  moveNotice: {
    held: `They’ll be notified in ${moveUndoMs / 1000} seconds.`,
    queued: 'They’re being notified.',
    notInvited: 'They haven’t been invited yet, so nothing is sent.',
    noContact: 'They have no email or phone on file. Please let them know.',
    trialLimit: 'Your clinic has reached its limit of messages for today. Please let them know.',
    none: '',
  } satisfies Record<MoveNotice, string>,
  nothingSent: 'Nothing is sent.',
  undo: 'Undo',
  now: 'Now',
} as const;
