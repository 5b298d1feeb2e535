import { useEffect, useEffectEvent } from 'react';
import { type BlockerFunction, useBlocker } from 'react-router';
import { confirm } from '../ui/confirm.ts';
import { texts } from './texts.ts';

interface FormLike {
  formState: { isDirty: boolean; isSubmitting: boolean };
}

/** Asks before a page with unsaved input is left by a link, by Back, or by closing the tab. A save may leave freely. */
export function useUnsaved(form: FormLike): void {
  const { isDirty, isSubmitting } = form.formState;
  useLeaveQuestion(isDirty && !isSubmitting, texts.unsaved);
}

/** Asks before the page is left while `holds`; for anything that leaving would break off. */
export function useLeaveQuestion(
  holds: boolean,
  question: { title?: string; text: string; yes?: string; no?: string },
): void {
  const differs: BlockerFunction = ({ currentLocation, nextLocation }) =>
    holds && currentLocation.pathname !== nextLocation.pathname;
  const blocker = useBlocker(differs);
  const ask = useEffectEvent(async () => {
    if (blocker.state !== 'blocked') return;
    if (await confirm(question)) blocker.proceed();
    else blocker.reset();
  });
  useEffect(() => {
    if (blocker.state === 'blocked') void ask();
  }, [blocker.state]);

  useEffect(() => {
    if (!holds) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [holds]);
}
