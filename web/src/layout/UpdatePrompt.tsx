import { useEffect } from 'react';
import { offerVersion } from './offer-version.ts';

/** MENU-6: offers a new version. */
export function UpdatePrompt() {
  useEffect(() => {
    if (!import.meta.env.PROD) return;
    let stop: (() => void) | undefined;
    let stopWaiting: (() => void) | undefined;
    let gone = false;
    void import('../worker.ts').then(({ onNewVersion }) => {
      if (gone) return;
      stop = onNewVersion((reload) => {
        stopWaiting = offerVersion(reload);
      });
    });
    return () => {
      gone = true;
      stopWaiting?.();
      stop?.();
    };
  }, []);
  return null;
}
