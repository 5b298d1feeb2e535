/**
 * Signs staff out after a time without input. Only the user's input counts, in any tab of this browser; requests of the
 * page do not. A visit pauses the time.
 */
const sharedKey = 'idle:last-input';
/** Precision with which other tabs learn the time of the last input, ms. */
const shareIntervalMs = 5_000;
const checkEveryMs = 10_000;
/** Time of the warning before the sign-out, ms. */
const warnMs = 60_000;

let lastInput = Date.now();
let lastShared = 0;
let activeSinceRenewal = true;
let holds = 0;

/** Records input of the user. */
export function noteInput(): void {
  lastInput = Date.now();
  activeSinceRenewal = true;
  if (lastInput - lastShared < shareIntervalMs) return;
  lastShared = lastInput;
  localStorage.setItem(sharedKey, String(lastInput));
}

/** True when there was input since the last call, or a visit is in progress. */
export function takeActivity(): boolean {
  const active = activeSinceRenewal || holds > 0;
  activeSinceRenewal = false;
  return active;
}

/** Pauses the time during a visit; the returned function ends the pause. */
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

/** True during a visit in this tab. */
export function isIdleHeld(): boolean {
  return holds > 0;
}

interface Watch {
  /** Maximum time without input, ms. */
  afterMs: number;
  /** The remaining seconds during the warning, else undefined. */
  onWarning: (secondsLeft: number | undefined) => void;
  onIdle: () => void;
}

/** Watches the user's input; the returned function stops. */
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
