import { type RefusalCode, refusals } from '@roomside/contract/refusals.ts';
import type { DeviceProblem } from './media/local-media.ts';
import type { Resolution } from './media/resolutions.ts';

/** Texts of the room (ROOM, STATE-8 to STATE-22, ERROR-2, ERROR-5). */
export const texts = {
  toolbar: 'Visit tools',
  showToolbar: 'Show toolbar',
  hideToolbar: 'Hide toolbar',
  panels: 'Panels',
  moreTools: 'More',
  moreUnseen: (count: number) => `More, ${count} new`,
  mute: 'Mute',
  cameraOff: 'Turn camera off',
  /** For a missing device. */
  microphoneOn: 'Turn on microphone',
  cameraOn: 'Turn on camera',
  fullScreen: 'Full screen',
  chat: 'Chat',
  chatUnread: (count: number) => `Chat, ${count} unread`,
  leave: 'Leave',
  leaveLong: 'Leave the room',
  end: 'End',
  endLong: 'End the call',
  notYet: 'You can do this once your provider joins.',
  tools: {
    microphone: 'Microphone',
    picture: 'Camera',
    switchCamera: 'Switch camera',
    switchCameraShort: 'Switch',
    share: 'Share your screen',
    shareShort: 'Share',
    stopSharing: 'Stop sharing your screen',
    stopSharingShort: 'Stop',
    resolution: 'Patient’s video resolution',
    resolutionShort: 'Resolution',
    noPatient: 'You can do this once your patient joins.',
    settings: 'Settings',
    away: 'Open the patient’s chart and keep the visit in a corner',
    awayShort: 'Chart',
    pip: 'Show the visit in a small window',
    closePip: 'Close the small window',
    pipShort: 'Window',
    pipFailed: 'Your browser didn’t open a small window.',
  },
  running: {
    label: (name: string) => `Visit with ${name}`,
    back: 'Return to the visit',
    leave: 'Leave the visit',
    alone: (name: string) => `Waiting for ${name}`,
    over: 'This visit is over.',
  },
  keys: {
    title: 'Keyboard shortcuts',
    help: 'Show this list',
    on: 'Use single keys as shortcuts',
    close: 'Close',
  },
  share: {
    declined: 'The screen sharing was declined',
    again: 'Would you like to try again?',
    yes: 'Try again',
    no: 'Not now',
    failed: 'Cannot switch the streams.',
    modeFailed: 'Cannot switch modes.',
    mine: 'Your screen',
    theirs: (name: string) => `${name}’s screen`,
  },
  resolution: {
    of: (name: string) => `Video resolution for ${name}`,
    name: ({ name, lines, width, height }: Resolution) => `${name} ${lines} (${width}×${height})`,
    asked: (name: string, lines: string) => `Asked ${name}’s camera for ${lines}.`,
  },
  check: {
    title: 'Check your camera and sound',
    intro: 'You can close this at any time. Your visit starts when your provider joins.',
    done: 'Done',
    camera: 'Camera',
    cameraIs: {
      works: 'Your camera works.',
      missing: 'No camera was found. You can still join with sound.',
      refused: 'Your browser doesn’t allow the camera.',
      busy: 'Another app is using your camera. Close it and try again.',
      unknown: 'Waiting for your camera…',
    },
    microphone: 'Microphone',
    microphoneIs: {
      works: 'Say a few words. The bar moves when your microphone hears you.',
      silent: 'Your microphone doesn’t hear you.',
      missing: 'No microphone was found.',
      unknown: 'Waiting for your microphone…',
    },
    speaker: 'Speaker',
    speakerIs: {
      works: 'You can hear the other side.',
      silent: 'Turn up the volume, or choose another speaker in Settings.',
      unknown: 'Play a sound and listen.',
    },
    play: 'Play test sound',
    heard: 'Did you hear it?',
    yes: 'Yes',
    no: 'No',
    connection: 'Internet connection',
    testing: 'Checking your connection…',
    retest: 'Check again',
    connectionIs: {
      good: 'Your connection is good.',
      fair: 'Your connection is fair. Video may pause now and then.',
      poor: 'Your connection is poor. Move closer to your Wi-Fi or turn the camera off if the sound breaks up.',
      failed: 'The video connection is blocked, maybe by a firewall. Try another network, such as mobile data.',
      unknown: 'Not checked yet.',
    },
  },
  person: {
    menu: (name: string) => `Options for ${name}`,
    mute: 'Mute microphone',
    unmute: 'Ask to turn on microphone',
    failed: 'You’re offline. Please try again in a moment.',
  },
  settings: {
    title: 'Camera, microphone, and speaker',
    camera: 'Camera',
    noCamera: 'No camera is in use',
    cameraFailed: 'This camera can’t be used at the moment. Another app may be using it.',
    blur: 'Blur my background',
    size: 'Your video resolution',
    microphone: 'Microphone',
    noMicrophone: 'No microphone is in use',
    microphoneFailed: 'This microphone can’t be used at the moment.',
    level: 'Microphone level',
    speaker: 'Speaker',
    systemSpeaker: 'System default',
    speakerFailed: 'The test sound couldn’t be played.',
    test: 'Play test sound',
    unnamed: (kind: string, number: number) => `${kind} ${number}`,
    done: 'Done',
  },
  comeBackLater: 'I’ll come back later',
  endQuestion: 'Would you like to finish this call?',
  endYes: 'Finish Call',
  endNo: 'Stay',
  endFailed: 'The visit couldn’t be ended because you’re offline. Please try again in a moment.',
  moved: 'This visit is open in another tab.',
  movedNote: 'The camera and microphone are off in this tab.',
  useHere: 'Use here',
  signedOut: 'You’ve been signed out and have left the visit.',

  waiting: {
    patient: 'Your provider will be with you soon, please do not close this window',
    startsAt: (time: string) => `Your visit is scheduled for ${time}.`,
    held: 'Your clinic knows that you’re here. It takes a little longer than planned.',
    expected: (time: string) => `Your provider is running late and expects to see you at about ${time}.`,
    provider: (name: string) => `${name} has not arrived yet`,
    providerAgain: (name: string) => `${name} is not here right now`,
    providerNote: 'You’ll see your patient here once their camera is on.',
    arriving: (name: string) => `${name} is here and getting ready`,
    connecting: (name: string) => `Connecting to ${name}…`,
  },

  self: 'You',
  yourPicture: 'Your video',
  muted: 'muted',
  pictureOff: 'camera off',
  reconnecting: 'Reconnecting…',
  hear: 'Tap for sound',
  elapsed: 'Elapsed time',
  left: 'Time left',
  over: 'Over the time limit',
  limit: (state: 'plain' | 'left' | 'last' | 'over', text: string) =>
    state === 'over' ? `+${text}` : state === 'plain' ? text : `${text} left`,

  quality: {
    names: { good: 'Good connection', fair: 'Fair connection', poor: 'Poor connection' },
    advice: {
      good: 'Sound and video arrive well on both sides.',
      fair: 'Sound or video may stop for a moment. Moving closer to your Wi-Fi router can help.',
      poor: 'Sound comes first, so the video is smaller. Turning video off makes the sound better.',
    },
    with: (quality: string, name: string) => `${quality} with ${name}`,
    saving: 'Video is off to save data.',
    videoOff: 'Turn video off to save data',
    videoOn: 'Turn video on',
  },

  verification: {
    button: (name: string) => `Verification words with ${name}`,
    title: 'Verification words',
    explained: (name: string) =>
      `Read these words to each other. If ${name} sees the same two, no one in between can listen to your connection.`,
    preparing: 'The words are being prepared…',
  },

  notices: {
    joined: (name: string) => `${name} has joined.`,
    left: (name: string) => `${name} has left.`,
    lost: 'The video link is lost. Reconnecting...',
    frozen: 'Frozen peer detected',
    unverified: (name: string) =>
      `The connection with ${name} was ended because its encryption couldn’t be verified. Please reload the page to try again.`,
    poor: (name: string) => `The connection with ${name} is poor.`,
    better: (name: string) => `The connection with ${name} is better again.`,
    blurEnds: {
      slow: 'Background blur was switched off because this device is too slow. Your camera is off: turn it on to be seen without blur.',
      failed: 'Background blur stopped working on this device. Your camera is off: turn it on to be seen without blur.',
    },
    mutedBy: (name: string) => `${name} has muted your microphone.`,
    unmuteAsked: (name: string) => `${name} is asking you to turn on your microphone.`,
    unmute: 'Turn on',
    endedBy: (name: string) => `${name} has ended the visit.`,
    cancelledBy: (name: string) => `${name} has cancelled this visit.`,
    notSent: (why: string | undefined) => `Your message was not sent. ${why ?? ''}`.trim(),
    microphoneFailed: 'Your microphone couldn’t be turned on. Please check that it’s connected and allowed.',
    noMicrophone: 'Your microphone is off. Others can see you but can’t hear you.',
    cameraLost: 'Your camera was disconnected or is no longer allowed. Others can still hear you.',
    cameraBack: 'Your camera is back on.',
    microphoneBack: 'Your microphone is back on.',
    newDevice: (name: string) => `${name} was connected.`,
    newCamera: 'A camera was connected.',
    newMicrophone: 'A microphone was connected.',
    useDevice: 'Use it',
    interrupted: 'Your microphone is paused, for example by a phone call. It comes back when the call ends.',
    leftUnsent: 'Your last message hasn’t been sent yet. It will be sent when you come back to this visit.',
  },

  chatPanel: {
    title: 'Chat',
    close: 'Close chat',
    empty: 'No messages yet.',
    emptyNote: 'Messages are saved with this visit.',
    field: 'Message',
    send: 'Send',
    required: 'Required',
    tooLong: (max: number) => `At most ${max} characters`,
    sending: 'Sending…',
    waits: 'Will be sent when you’re back online',
    failed: 'Not sent',
    retry: 'Try Again',
    offline: 'You’re offline. You can keep typing.',
    me: 'You',
    said: (name: string, text: string) => `${name}: ${text}`,
  },

  device: {
    asking: 'When your browser asks, allow the camera and microphone.',
    retry: 'Retry',
    without: 'Continue without camera',
    problems: {
      refused: {
        title: 'Video Camera Access is Required',
        text: 'Please enable your web camera to continue',
        help: null,
      },
      none: {
        title: 'No camera found',
        text: 'Please connect a camera to this device and try again.',
        help: 'You can also continue without one.',
      },
      busy: {
        title: 'The camera is in use',
        text: 'Another app or tab may be using your camera.',
        help: 'Close the other app or tab and try again.',
      },
      lost: {
        title: 'Your camera was disconnected',
        text: 'It was unplugged, or your browser no longer allows it.',
        help: 'Connect it or allow it again, then try again.',
      },
      unsupported: {
        title: 'Video isn’t supported here',
        text: 'This browser can’t use a camera on this page.',
        help: 'Please open the link in an up-to-date Chrome, Safari, Firefox, or Edge.',
      },
    } satisfies Record<DeviceProblem, { title: string; text: string; help: string | null }>,
    /** Where each browser stores a denied permission. */
    allow: {
      safariPhone:
        'On an iPhone or iPad: tap “aA” next to the address, choose Website Settings, and allow Camera and Microphone.',
      safari: 'In Safari: open the Safari menu, Settings for This Website, and allow Camera and Microphone.',
      firefox: 'In Firefox: click the crossed-out camera next to the address and remove the block.',
      chromePhone: 'In Chrome: tap the icon next to the address, then Permissions, and allow Camera and Microphone.',
      chrome: 'In your browser: click the icon next to the address and allow Camera and Microphone.',
    },
  },
} as const;

/** Why a message was not sent, if the server gave a code. */
export function wordsForUnsent(code: string | undefined): string | undefined {
  return code !== undefined && Object.hasOwn(refusals, code) ? refusals[code as RefusalCode].text : undefined;
}

/** How to undo a denied permission in this browser (STATE-13). */
export function helpToAllow(userAgent: string): string {
  const { allow } = texts.device;
  if (/iPhone|iPad/.test(userAgent)) return allow.safariPhone;
  if (/Firefox\//.test(userAgent)) return allow.firefox;
  if (/Android/.test(userAgent)) return allow.chromePhone;
  if (/Safari\//.test(userAgent) && !/Chrom(e|ium)\//.test(userAgent)) return allow.safari;
  return allow.chrome;
}
