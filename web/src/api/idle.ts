/**
 * Staff are signed out after a time without input (decisions, 2). Only what a person does counts, in any tab of this
 * browser; requests of the page itself do not. A visit holds the clock.
 */
const sharedKey = 'idle:last-input';
/** Other tabs need to know the last input only this exactly. */
const shareEveryMs = 5_000;
const checkEveryMs = 10_000;
/** The warning comes this long before the end. */
const warnMs = 60_000;

let lastInput = Date.now();
let lastShared = 0;
let activeSinceRenewal = true;
let holds = 0;

/** Notes that the person did something. */
export function noteInput(): void {
  lastInput = Date.now();
  activeSinceRenewal = true;
  if (lastInput - lastShared < shareEveryMs) return;
  lastShared = lastInput;
  localStorage.setItem(sharedKey, String(lastInput));
}

/** True when the person did something since this was asked last, or is in a visit. */
export function takeActivity(): boolean {
  const active = activeSinceRenewal || holds > 0;
  activeSinceRenewal = false;
  return active;
}

/** Stops the clock while a visit runs; call what it returns at the end of the visit. */
export function holdIdle(): () => void {
  holds += 1;
  let held = true;
  return () => {
    if (!held) return;
    held = false;
    holds -= 1;
    noteInput();
  };
}

/** True while a visit runs in this tab. */
export function isIdleHeld(): boolean {
  return holds > 0;
}

interface Watch {
  /** Time without input, ms. */
  afterMs: number;
  /** The seconds that are left when they are few, else undefined. */
  onWarning: (secondsLeft: number | undefined) => void;
  onIdle: () => void;
}

/** Watches the person's input until stopped by what it returns. */
export function watchIdle({ afterMs, onWarning, onIdle }: Watch): () => void {
  const events = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;
  for (const event of events) addEventListener(event, noteInput, { passive: true, capture: true });
  noteInput();
  let warned = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const check = () => {
    if (holds > 0) lastInput = Date.now();
    const left = Math.max(lastInput, Number(localStorage.getItem(sharedKey) ?? 0)) + afterMs - Date.now();
    if (left <= 0) return onIdle();
    const warn = left <= warnMs;
    if (warn || warned) onWarning(warn ? Math.ceil(left / 1000) : undefined);
    warned = warn;
    timer = setTimeout(check, warn ? 1_000 : Math.min(checkEveryMs, left - warnMs + 1));
  };
  check();
  return () => {
    clearTimeout(timer);
    for (const event of events) removeEventListener(event, noteInput, { capture: true });
  };
}
