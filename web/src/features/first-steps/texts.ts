import type { FirstStep } from '@roomside/contract/first-steps/calls.ts';

/** Texts of the first steps of a new clinic. */
export const texts = {
  title: 'First steps',
  intro: 'Four short steps to your first visit. Skip any of them, and come back when you like.',
  progress: (done: number, all: number) => `${done} of ${all} done`,
  dismiss: 'Hide these steps',
  dismissed: 'The first steps are hidden.',
  done: 'Done',
  steps: {
    hours: { title: 'Set your hours', text: 'Add a scheduling rule that says when providers can be booked.' },
    colleagues: { title: 'Invite a colleague', text: 'Each colleague gets an email to choose a password.' },
    bookingLink: {
      title: 'Share your booking link',
      text: 'Put it on your website or in your emails: patients pick a time themselves.',
    },
    testVisit: {
      title: 'Try a visit with yourself',
      text: 'You are the provider here, and the patient on your phone or in another tab. Nothing is sent to anyone.',
    },
  } satisfies Record<FirstStep, { title: string; text: string }>,
  hours: 'Add hours',
  colleagues: 'Add user',
  bookingOff: 'Booking by link is off. Turn it on in Company Info.',
  companyInfo: 'Company Info',
  copy: 'Copy link',
  copied: 'The link has been copied.',
  open: 'Open the booking page',
  testVisit: 'Start a test visit',
  test: {
    title: 'Your test visit is ready',
    text: '1. Open the patient’s link on your phone with this code, or in another tab.',
    qr: 'QR code with the patient’s link',
    openTab: 'Open as the patient',
    enter: '2. Then enter the room as the provider.',
    enterRoom: 'Enter the room',
    later: 'Later',
  },
} as const;
