import { useEffect } from 'react';
import { isIdleHeld } from '../api/idle.ts';
import { confirm } from '../ui/confirm.ts';
import { texts } from './texts.ts';

const askAgainMs = 60_000;

/** MENU-6: offers a new version; not during a visit, which a reload would interrupt. */
export function UpdatePrompt() {
  useEffect(() => {
    if (!import.meta.env.PROD) return;
    let stop: (() => void) | undefined;
    let gone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const offer = (reload: () => void) => {
      if (isIdleHeld()) timer = setTimeout(() => offer(reload), askAgainMs);
      else void confirm({ ...texts.update, across: true }).then((yes) => yes && reload());
    };
    void import('../worker.ts').then(({ onNewVersion }) => {
      if (!gone) stop = onNewVersion(offer);
    });
    return () => {
      gone = true;
      clearTimeout(timer);
      stop?.();
    };
  }, []);
  return null;
}
