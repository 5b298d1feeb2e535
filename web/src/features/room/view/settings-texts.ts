/** Texts of the settings of camera, microphone and speaker. Loaded when they are opened. */
export const texts = {
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
} as const;
