import { numberText } from '@roomside/contract/count-text.ts';

/** Texts of the export of all data. */
export const texts = {
  title: 'Clinic data',
  section: 'Export all data',
  text: 'One ZIP file with all patients, appointments, chats, settings, files, photos and recordings of your clinic. Tables are CSV files. The ZIP file is not encrypted: keep it in a safe place.',
  start: 'Export all data',
  question: 'Export all data of your clinic?',
  questionDetail: 'The ZIP file has the data of all patients. The audit log records who exports and downloads it.',
  queued: 'The export starts in a moment.',
  progress: 'Progress of the export',
  running: (percent: number) => `${percent}% exported`,
  amounts: (rowsDone: number, rowsTotal: number, done: string, total: string) =>
    `${numberText(rowsDone)} of ${numberText(rowsTotal)} records, ${done} of ${total} of files`,
  leave: 'You can leave this page. We’ll email you when the export is ready.',
  stop: 'Cancel the export',
  stopQuestion: 'Cancel the export?',
  stopDetail: 'What has been exported so far is deleted.',
  stopped: 'Cancelled.',
  keep: 'Keep going',
  ready: (size: string) => `The export is ready (${size}).`,
  once: (until: string) => `You can download it once, until ${until}. Then it is deleted.`,
  download: 'Download',
  downloading:
    'The download has started. If it breaks off, download again. The export is deleted when the download is complete.',
  remove: 'Delete the export',
  removeQuestion: 'Delete the export?',
  removeDetail: 'It has not been downloaded yet.',
  removed: 'The export has been deleted.',
  cancel: 'Cancel',
  by: (name: string, at: string) => `Requested by ${name} on ${at}.`,
  last: {
    downloaded: (at: string) => `The last export was downloaded on ${at}.`,
    cancelled: 'The last export was cancelled.',
    expired: 'The last export was deleted because it wasn’t downloaded in time.',
    failed: 'The last export failed. Please try again, or contact support.',
  },
} as const;
