import { createContext, useContext } from 'react';

/** Whether a path leads to an existing screen; provided by the frame around the router. */
export const RegisteredContext = createContext<(path: string) => boolean>(() => true);

/** Links to screens that do not exist are not shown. */
export function useIsRegistered(): (path: string) => boolean {
  return useContext(RegisteredContext);
}
