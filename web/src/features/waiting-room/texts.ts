/** Texts of the waiting room and of the arrival sheet. */
export const texts = {
  title: 'Waiting Room',
  list: 'Patients in the waiting room',
  add: 'Instant Appointment',
  empty: 'The Waiting Room is Empty',
  emptyHint: 'Patients appear here automatically when they open their link.',
  provider: 'Provider',
  scheduled: 'Scheduled',
  arrived: 'Arrived',
  wait: 'Waiting',
  waited: 'Waited',
  withProvider: 'With the provider',
  sheet: {
    title: 'Patient Arrived',
    provider: (name: string) => `Provider: ${name}`,
    time: (time: string) => `Time: ${time}`,
    noCamera: 'The camera isn’t on yet.',
    more: (count: number) => (count === 1 ? 'One more patient has arrived.' : `${count} more patients have arrived.`),
    see: 'See the Patient',
    waitingRoom: 'Waiting Room',
    ignore: 'Ignore',
  },
} as const;
