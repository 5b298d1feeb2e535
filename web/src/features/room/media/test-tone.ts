import toneAddress from '../../../ui/notification.wav';

/**
 * Plays the test tone.
 *
 * @param speaker the device's id; default: the system's
 * @throws what the browser says when the speaker cannot play
 */
export async function playTestTone(speaker: string | undefined): Promise<void> {
  const tone: HTMLAudioElement & { setSinkId?: (id: string) => Promise<void> } = new Audio(toneAddress);
  if (speaker) await tone.setSinkId?.(speaker);
  await tone.play();
}
