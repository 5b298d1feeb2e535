import { createContext, useContext } from 'react';

/** Whether a path leads to a screen that exists; the frame around the router provides it. */
export const RegisteredContext = createContext<(path: string) => boolean>(() => true);

/** Links to screens that are not there are not offered. */
export function useIsRegistered(): (path: string) => boolean {
  return useContext(RegisteredContext);
}
