import notification from './notification.wav';

let player: HTMLAudioElement | undefined;

/** MENU-6: a soft sound. A browser without a user gesture refuses to play it, which is not an error. */
export function playNotification(): void {
  player ??= new Audio(notification);
  player.currentTime = 0;
  player.play()?.catch(() => undefined);
}
