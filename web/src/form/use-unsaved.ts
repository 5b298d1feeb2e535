import { useEffect, useEffectEvent, useLayoutEffect } from 'react';
import { useBlocker } from 'react-router';
import { confirm } from '../ui/confirm.ts';
import { holdPage, holdsPage, type LeaveQuestion, leaveQuestion } from './leave-questions.ts';
import { texts } from './texts.ts';

/** Asks before another page is opened while something blocks leaving. Used once, around all pages. */
export function useHeldPage(): void {
  const blocker = useBlocker(holdsPage);
  const ask = useEffectEvent(async () => {
    if (blocker.state !== 'blocked') return;
    const question = leaveQuestion(blocker.location.pathname);
    if (!question || (await confirm({ ...question, danger: true }))) blocker.proceed();
    else blocker.reset();
  });
  // A render may show two blocked navigations in a row: each has its own location.
  useEffect(() => {
    if (blocker.location) void ask();
  }, [blocker.location]);
}

interface FormLike {
  formState: { isDirty: boolean; isSubmitting: boolean };
}

/** Asks before a page with unsaved input is left by a link, a typed address, Back, or by closing the tab. A save may leave freely. */
export function useUnsaved(form: FormLike): void {
  const { isDirty, isSubmitting } = form.formState;
  useLeaveQuestion(isDirty && !isSubmitting, texts.unsaved);
}

/** Asks before the page is left while `holds` is true. */
export function useLeaveQuestion(holds: boolean, question: LeaveQuestion): void {
  const asked = useEffectEvent(() => question);
  useLayoutEffect(() => {
    if (!holds) return;
    return holdPage(() => asked());
  }, [holds]);

  useEffect(() => {
    if (!holds) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [holds]);
}
