/** Texts of the check of camera, sound and connection. Loaded when it is opened. */
export const texts = {
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
    missing:
      'Your microphone can’t be used. Check that it’s connected and allowed, and that no other app is using it. Then try again.',
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
  yes: 'I heard it',
  no: 'I heard nothing',
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
} as const;
