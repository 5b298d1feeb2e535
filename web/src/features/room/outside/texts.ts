import { pageRefusals } from '@roomside/contract/page-refusals.ts';
import type { SubscribeRefusal } from '@roomside/contract/room/messages.ts';

/** Texts of the pages before and after a visit. They are loaded with the first page, those of the room with the room. */
export const texts = {
  documentTitle: 'Visit',
  checkDevice: 'Check your camera and sound',
  gone: {
    cancelled: 'This visit was cancelled by the clinic.',
    cancelledNote: 'Please contact your clinic if you have questions or need a new time.',
    cancelledStaff: 'This visit is cancelled.',
    notFound: 'This visit doesn’t exist, or you don’t have access to it.',
    full: 'This visit is full: 4 people are in it.',
    unlicensed: 'Your company’s license has expired',
    fullNote: 'Please try again when someone has left.',
    openAppointment: 'Open the appointment',
    back: 'Go to the waiting room',
  },
  early: {
    change: 'Move or cancel',
    eyebrow: 'Your visit',
    title: 'Your visit is coming up',
    intro: (name: string) => `Your video visit with ${name} is on`,
    note: 'The room opens one hour before your visit. You can keep this page open: it will take you to the room automatically.',
    add: 'Add to calendar',
    moved: 'Your visit has been moved. This page shows the new time.',
  },
  mine: {
    eyebrow: 'Your visit',
    title: 'You have left the room',
    intro: (name: string) => `Your video visit with ${name}`,
    rejoin: 'Rejoin',
    open: 'Open visit',
    earlyTitle: 'Your next visit',
    ended: 'Your appointment is over',
    none: 'No visit found',
    noneNote: 'Use the access code from your clinic’s message to open your visit.',
    enterCode: 'Enter access code',
  },
} as const;

/** The text for a refused entry, for a patient or for staff. */
export function wordsForRefusal(why: SubscribeRefusal, isPatient: boolean): string {
  if (why === 'cancelled') return isPatient ? texts.gone.cancelled : texts.gone.cancelledStaff;
  if (why === 'full') return texts.gone.full;
  if (why === 'unlicensed') return isPatient ? pageRefusals['clinic-closed'].text : texts.gone.unlicensed;
  return why === 'ended' ? texts.mine.ended : texts.gone.notFound;
}
