import { useState } from 'react';

/** True from the first render on for which the condition holds. */
export function useReached(condition: boolean): boolean {
  const [isReached, setReached] = useState(condition);
  if (condition && !isReached) setReached(true);
  return isReached || condition;
}
