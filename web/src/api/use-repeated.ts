import { useEffect, useEffectEvent } from 'react';

/** Calls `work` while `isOn`, the first time after `everyMs`, then `everyMs` after its last call has ended. */
export function useRepeated(isOn: boolean, everyMs: number, work: () => Promise<void>): void {
  const run = useEffectEvent(work);
  useEffect(() => {
    if (!isOn) return;
    let timer: ReturnType<typeof setTimeout>;
    let stopped = false;
    const next = () => {
      timer = setTimeout(() => void run().then(() => stopped || next()), everyMs);
    };
    next();
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, [isOn, everyMs]);
}
