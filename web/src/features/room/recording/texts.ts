/** Texts of recordings that are not finished when someone leaves the visit or signs out. */
export const texts = {
  leave: {
    title: 'Leave while this visit is being recorded?',
    text: 'The recording stops when you leave. It is uploaded while this browser stays open; otherwise you can finish the upload the next time you sign in on this device.',
    yes: 'Leave',
    no: 'Stay',
  },
  recording: {
    title: 'A recording is still running.',
    text: 'It stops when you sign out. What isn’t uploaded yet stays on this device, and you can finish the upload the next time you sign in here.',
    yes: 'Sign out',
    no: 'Stay signed in',
  },
  unreadable: 'This device can no longer read a part of it.',
  uploading: {
    title: 'A recording is still being uploaded.',
    text: 'The upload stops when you sign out. You can finish it the next time you sign in on this device.',
    yes: 'Sign out',
    no: 'Stay signed in',
  },
} as const;
