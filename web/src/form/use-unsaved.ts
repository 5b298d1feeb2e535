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
  // A render may show two blocked navigations in a row: each has its own location.
  useEffect(() => {
    if (blocker.location) void ask();
  }, [blocker.location]);
}

/**
 * A typed address, or a link with a bare hash, is in the history before the router can block it, and unloads nothing. While something
 * blocks leaving, takes it back and opens it by the router, which asks. Call before the router is created: its listener comes second then.
 */
export function routeTypedAddresses(open: (path: string) => void): void {
  let typed: string | undefined;
  addEventListener('popstate', (event) => {
    if (typed !== undefined) {
      // The way back to the page.
      event.stopImmediatePropagation();
      const path = typed;
      typed = undefined;
      open(path);
      return;
    }
    // The router's own entries have a state.
    if (event.state !== null || held.size === 0) return;
    event.stopImmediatePropagation();
    typed = location.hash.slice(1) || '/';
    history.back();
  });
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
