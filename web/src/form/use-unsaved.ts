import { useEffect, useEffectEvent, useLayoutEffect } from 'react';
import { type BlockerFunction, useBlocker } from 'react-router';
import { confirm } from '../ui/confirm.ts';
import { texts } from './texts.ts';

/** What blocks leaving the page, with its question. A router accepts one blocker, so all share that of `useHeldPage`. */
const held = new Set<() => LeaveQuestion>();

const holdsPage: BlockerFunction = ({ currentLocation, nextLocation }) =>
  held.size > 0 && currentLocation.pathname !== nextLocation.pathname;

/** Asks before another page is opened while something blocks leaving. Used once, around all pages. */
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

/** Asks before the page is left while `holds` is true. */
export function useLeaveQuestion(holds: boolean, question: LeaveQuestion): void {
  const asked = useEffectEvent(() => question);
  useLayoutEffect(() => {
    if (!holds) return;
    // A new function each time: two parts of a page may block leaving.
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
