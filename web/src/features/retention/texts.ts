import { monthsText } from '@roomside/contract/audit/texts.ts';
import { countText } from '@roomside/contract/count-text.ts';

/** Texts of how long records are kept. */
export const texts = {
  section: 'How long records are kept',
  text: 'Older records are deleted once a day, for good. The law of your state may say how long medical records must be kept: check it before you choose.',
  labels: { chats: 'Chats', files: 'Files and photos', recordings: 'Recordings' },
  forEver: 'Forever',
  months: monthsText,
  save: 'Save',
  saved: 'The record has been saved.',
  question: 'Delete records that are older than this?',
  next: (overdue: { chats: number; files: number; recordings: number }) =>
    `The next daily run deletes ${countText(overdue.chats, 'message', 'messages')}, ${countText(overdue.files, 'file or photo', 'files and photos')}, and ${countText(overdue.recordings, 'part of a recording', 'parts of recordings')}.`,
  warning: 'They can’t be restored. Export all data first if you may still need them.',
  yes: 'Save and delete',
  no: 'Cancel',
} as const;
