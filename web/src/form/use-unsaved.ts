import { useEffect, useEffectEvent, useLayoutEffect } from 'react';
import { type BlockerFunction, useBlocker } from 'react-router';
import { confirm } from '../ui/confirm.ts';
import { texts } from './texts.ts';

/** What holds the page now; each gives its question. A router takes one blocker, so they share that of `useHeldPage`. */
const held = new Set<() => LeaveQuestion>();

const holdsPage: BlockerFunction = ({ currentLocation, nextLocation }) =>
  held.size > 0 && currentLocation.pathname !== nextLocation.pathname;

/** Asks the question of what holds the page before another one is opened. Used once, around all pages. */
export function useHeldPage(): void {
  const blocker = useBlocker(holdsPage);
  const ask = useEffectEvent(async () => {
    if (blocker.state !== 'blocked') return;
    const [question] = held;
    if (!question || (await confirm(question()))) blocker.proceed();
    else blocker.reset();
  });
  useEffect(() => {
    if (blocker.state === 'blocked') void ask();
  }, [blocker.state]);
}

interface LeaveQuestion {
  title?: string;
  text: string;
  yes?: string;
  no?: string;
}

interface FormLike {
  formState: { isDirty: boolean; isSubmitting: boolean };
}

/** Asks before a page with unsaved input is left by a link, by Back, or by closing the tab. A save may leave freely. */
export function useUnsaved(form: FormLike): void {
  const { isDirty, isSubmitting } = form.formState;
  useLeaveQuestion(isDirty && !isSubmitting, texts.unsaved);
}

/** Asks before the page is left while `holds`; for anything that leaving would break off. */
export function useLeaveQuestion(holds: boolean, question: LeaveQuestion): void {
  const asked = useEffectEvent(() => question);
  useLayoutEffect(() => {
    if (!holds) return;
    // A new function each time: two parts of a page may hold it.
    const hold = () => asked();
    held.add(hold);
    return () => void held.delete(hold);
  }, [holds]);

  useEffect(() => {
    if (!holds) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [holds]);
}
