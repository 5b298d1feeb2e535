/** Texts of the pages for people who were invited to one visit. */
export const texts = {
  eyebrow: 'Video visit',
  opening: 'Opening your invitation…',
  hello: (name: string) => `Hello ${name}`,
  invites: (company: string, doctor: string) => `${company} invites you to a video visit with ${doctor}.`,
  devices: 'Your browser will ask for your camera and microphone. You can join without them.',
  join: 'Join',
  waiting: (doctor: string) => `${doctor} isn’t in the visit yet`,
  waitingNote: 'Keep this page open. You’ll join automatically.',
  left: 'You’ve left the visit',
  leftNote: 'You can come back until the visit ends.',
  joinAgain: 'Join again',
  ended: 'The visit has ended',
  endedNote: 'Thank you for joining. You can close this page.',
  over: 'You’re no longer in this visit',
  overNote:
    'The visit has ended, the clinic has removed your invitation, or your link was opened on another device. If you still need to join, ask the clinic for a new link.',
} as const;
