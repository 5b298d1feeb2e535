/** Texts of the instant appointment (INSTANT-1, STATE-4). */
export const texts = {
  title: 'Instant Appointment',
  intro: 'Start a visit now. We’ll send the link, and you wait in the room.',
  email: 'Email',
  phone: 'Cell phone',
  either: 'Enter a phone number or an email.',
  submit: 'Invite and Connect',
  notified: "We've notified the patient. Please wait in the room.",
  notInvited: 'This patient has no phone or email, so no invitation was sent. Please share the link yourself.',
  question: 'Would you like to start a visit now?',
  goesTo: (ways: string) =>
    ways === '' ? 'There is no email or phone to send the link to.' : `The link goes to ${ways}`,
  sendAndStart: 'Send link and start',
  startOnly: 'Start',
  dismiss: 'Cancel',
  notAllowed: 'Only providers and administrators can start an instant visit.',
  waitingRoom: 'Waiting Room',
} as const;
