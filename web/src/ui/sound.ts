import notification from './notification.wav';

let player: HTMLAudioElement | undefined;

/** MENU-6: a soft sound. A browser that has seen no gesture yet refuses to play; that is no error. */
export function playNotification(): void {
  player ??= new Audio(notification);
  player.currentTime = 0;
  player.play()?.catch(() => undefined);
}
