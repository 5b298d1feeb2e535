/** Texts of recording a visit (ROLE-3, STATE-17, STATE-18, ERROR-2). */
export const texts = {
  record: 'Record this visit',
  recordShort: 'Record',
  stop: 'Stop recording',
  stopShort: 'Stop',
  cancel: 'Cancel the request to record',
  cancelShort: 'Cancel',
  alone: 'You can record once someone else is in the room.',

  sign: 'Recording',
  signAsking: 'Asking to record…',
  recorded: 'Recorded',
  recordedLong: 'This visit was recorded',

  uploading: (percent: number) => `Uploading the recording, ${percent}%`,
  uploadShort: (percent: number) => `Uploading ${percent}%`,
  waits: 'The recording will be uploaded when the connection allows it.',
  waitsShort: 'Upload waits',
  retries: 'The recording couldn’t be uploaded. It will be tried again.',
  retriesShort: 'Upload paused',

  question: {
    byProvider: 'Your provider would like to record this visit.',
    byColleague: (name: string) => `${name} would like to record this visit.`,
    note: 'Your video and voice will be recorded. Only the clinic’s staff can watch the recording.',
    allow: 'Allow',
    refuse: 'Don’t allow',
  },

  notices: {
    started: 'The recording has started.',
    stopped: 'The recording has stopped.',
    refused: (name: string) => `${name} doesn’t want this visit to be recorded.`,
    refusedAlone: (name: string) => `${name} doesn’t want to be recorded. The others are still being recorded.`,
    unsupported: 'The recording functionality is not supported in this browser.',
    full: 'This device’s storage is full, so the recording has stopped. What was recorded until now is kept and will be uploaded. Free up space to record again.',
    failed:
      'The recording has stopped because it couldn’t be stored on this device. What was recorded until now will be uploaded.',
    uploaded: 'The recording has been uploaded.',
    uploadRefused: (why: string) => `Part of the recording couldn’t be uploaded. ${why}`,
  },

  endBlocked: {
    recording: 'This visit is being recorded. Stop the recording before you end the visit.',
    uploading: 'The recording is still being uploaded. You can end the visit once that’s done.',
  },
} as const;
