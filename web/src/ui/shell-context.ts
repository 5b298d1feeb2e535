import { createContext } from 'react';

/** What the frame offers to a page. `openMenu` is missing when the menu is always visible. */
export const ShellContext = createContext<{ openMenu?: () => void }>({});
