import { createContext } from 'react';

/** What the frame around a page offers to it. `openMenu` is missing where the menu stands open anyway. */
export const ShellContext = createContext<{ openMenu?: () => void }>({});
