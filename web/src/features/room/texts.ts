import { type RefusalCode, refusals } from '@roomside/contract/refusals.ts';
import type { SubscribeRefusal } from '@roomside/contract/room/messages.ts';
import type { DeviceProblem } from './local-media.ts';

/** Words of the room (ROOM, STATE-8 to STATE-22, ERROR-2, ERROR-5). */
export const texts = {
  documentTitle: 'Visit',
  toolbar: 'Visit tools',
  showToolbar: 'Show toolbar',
  hideToolbar: 'Hide toolbar',
  mute: 'Mute',
  cameraOff: 'Turn camera off',
  /** For a device that is missing. */
  microphoneOn: 'Turn on microphone',
  cameraOn: 'Turn on camera',
  fullScreen: 'Full screen',
  chat: 'Chat',
  chatUnread: (count: number) => `Chat, ${count} unread`,
  leave: 'Leave',
  leaveLong: 'Leave the room',
  end: 'End',
  endLong: 'End the call',
  notYet: 'This is possible as soon as your provider is here.',
  comeBackLater: 'I’ll come back later',
  endQuestion: 'Would you like to finish this call?',
  endYes: 'Finish Call',
  endNo: 'Stay',
  endFailed: 'The visit could not be ended because the connection is away. Please try again in a moment.',
  gone: {
    cancelled: 'This visit was cancelled by the clinic.',
    cancelledNote: 'Please contact your clinic if you have questions or need a new time.',
    cancelledStaff: 'This visit is cancelled.',
    notFound: 'This visit does not exist, or it is not yours to open.',
    openAppointment: 'Open the appointment',
    back: 'Go to the waiting room',
  },
  moved: 'This visit is open in another tab.',
  movedNote: 'Camera and microphone are off here.',
  useHere: 'Use here',
  signedOut: 'You have been signed out, so the visit was left.',

  waiting: {
    patient: 'Your provider will be with you soon, please do not close this window',
    startsAt: (time: string) => `Your visit is planned for ${time}.`,
    atClinic: (time: string) => `At the clinic that is ${time}.`,
    provider: (name: string) => `${name} has not arrived yet`,
    providerAgain: (name: string) => `${name} is not here at the moment`,
    providerNote: 'You will see your patient here as soon as the camera is on.',
    arriving: (name: string) => `${name} is here and getting ready`,
    connecting: (name: string) => `Connecting to ${name}…`,
  },
  early: {
    change: 'Move or cancel',
    eyebrow: 'Your visit',
    title: 'You are a little early',
    intro: (name: string) => `Your video visit with ${name} is on`,
    note: 'The room opens one hour before. You may leave this page open: it will take you in by itself.',
    add: 'Add to calendar',
  },
  mine: {
    eyebrow: 'Your visit',
    title: 'You have left the room',
    intro: (name: string) => `Your video visit with ${name}`,
    rejoin: 'Rejoin',
    open: 'Open visit',
    earlyTitle: 'Your next visit',
    ended: 'Your appointment is over',
    none: 'There is no visit here',
    noneNote: 'Use the access code from your clinic’s message to open your visit.',
    enterCode: 'Enter access code',
  },

  self: 'You',
  yourPicture: 'Your own picture',
  muted: 'muted',
  pictureOff: 'camera off',
  reconnecting: 'Reconnecting…',
  hear: 'Tap to hear',
  elapsed: 'Time so far',
  left: 'Time left',
  over: 'Over time',
  limit: (state: 'plain' | 'left' | 'last' | 'over', text: string) =>
    state === 'over' ? `+${text}` : state === 'plain' ? text : `${text} left`,

  notices: {
    joined: (name: string) => `${name} has joined.`,
    left: (name: string) => `${name} has left.`,
    lost: 'The video link is lost. Reconnecting...',
    frozen: 'Frozen peer detected',
    mutedBy: (name: string) => `${name} has muted your microphone.`,
    unmuteAsked: (name: string) => `${name} asks you to turn your microphone on.`,
    unmute: 'Turn on',
    endedBy: (name: string) => `${name} has ended the visit.`,
    cancelledBy: (name: string) => `${name} has cancelled this visit.`,
    notSent: (why: string | undefined) => `Your message was not sent. ${why ?? ''}`.trim(),
    microphoneFailed: 'The microphone could not be turned on. Please check that it is connected and allowed.',
    noMicrophone: 'Your microphone is not on. The others can see you, but not hear you.',
    cameraLost: 'Your camera was disconnected, or its permission was taken back. The others can still hear you.',
    leftUnsent: 'What you wrote last has not been sent yet. It will be when you come back to this visit.',
  },

  chatPanel: {
    title: 'Chat',
    close: 'Close chat',
    empty: 'Nothing has been written yet.',
    emptyNote: 'What you write stays with this visit.',
    field: 'Message',
    send: 'Send',
    required: 'Required',
    tooLong: (max: number) => `At most ${max} characters`,
    sending: 'Sending…',
    waits: 'Will be sent when the connection is back',
    failed: 'Not sent',
    retry: 'Try Again',
    offline: 'The connection is away. You can keep writing.',
    me: 'You',
    said: (name: string, text: string) => `${name}: ${text}`,
  },

  device: {
    asking: 'Please allow the camera and microphone in the question of your browser.',
    retry: 'Retry',
    without: 'Continue without camera',
    problems: {
      refused: {
        title: 'Video Camera Access is Required',
        text: 'Please enable your web camera to continue',
        help: null,
      },
      none: {
        title: 'No camera was found',
        text: 'Please connect a camera to this device, then try again.',
        help: 'You can also go on without one.',
      },
      busy: {
        title: 'The camera is in use',
        text: 'Another program or tab seems to use your camera.',
        help: 'Close it there, for example another video call, then try again.',
      },
      lost: {
        title: 'The camera has gone away',
        text: 'Your camera was disconnected, or its permission was taken back.',
        help: 'Connect it again, then try again.',
      },
      unsupported: {
        title: 'Video is not possible here',
        text: 'This browser cannot use a camera at this address.',
        help: 'Please open the link in an up-to-date Chrome, Safari, Firefox or Edge.',
      },
    } satisfies Record<DeviceProblem, { title: string; text: string; help: string | null }>,
    /** Where the browser keeps its refusal. */
    allow: {
      safariPhone:
        'On an iPhone or iPad: tap “aA” beside the address, choose Website Settings, and allow Camera and Microphone.',
      safari: 'In Safari: open the Safari menu, Settings for This Website, and allow Camera and Microphone.',
      firefox: 'In Firefox: click the crossed-out camera beside the address and remove the block.',
      chromePhone: 'In Chrome: tap the icon beside the address, then Permissions, and allow Camera and Microphone.',
      chrome: 'In your browser: click the icon beside the address and allow Camera and Microphone.',
    },
  },
} as const;

/** The words for a refused entry, to a patient or to staff. */
export function wordsForRefusal(why: SubscribeRefusal, iAmPatient: boolean): string {
  if (why === 'cancelled') return iAmPatient ? texts.gone.cancelled : texts.gone.cancelledStaff;
  return why === 'ended' ? texts.mine.ended : texts.gone.notFound;
}

/** Why a message was not sent, where the server said so. */
export function wordsForUnsent(code: string | undefined): string | undefined {
  return code !== undefined && Object.hasOwn(refusals, code) ? refusals[code as RefusalCode].text : undefined;
}

/** Where this browser lets its person change a refusal (STATE-13). */
export function helpToAllow(userAgent: string): string {
  const { allow } = texts.device;
  if (/iPhone|iPad/.test(userAgent)) return allow.safariPhone;
  if (/Firefox\//.test(userAgent)) return allow.firefox;
  if (/Android/.test(userAgent)) return allow.chromePhone;
  if (/Safari\//.test(userAgent) && !/Chrom(e|ium)\//.test(userAgent)) return allow.safari;
  return allow.chrome;
}
