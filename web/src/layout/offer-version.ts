import { isIdleHeld } from '../api/idle.ts';
import { confirm } from '../ui/confirm.ts';
import { texts } from './texts.ts';

const askAgainMs = 60_000;

/** MENU-6: asks whether to reload into a new version; after a visit, which a reload would interrupt. Returns a function that ends the wait. */
export function offerVersion(reload: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const offer = () => {
    if (isIdleHeld()) timer = setTimeout(offer, askAgainMs);
    else void confirm({ ...texts.update, across: true }).then((yes) => yes && reload());
  };
  offer();
  return () => clearTimeout(timer);
}
