/** Texts of the parts that every screen shares. */
export const texts = {
  product: 'Roomside',
  close: 'Close',
  notCopied: 'Your browser doesn’t allow copying. The text is selected, so you can copy it yourself.',
  tryAgain: 'Try Again',
  loading: 'Loading…',
  search: 'Search',
  clearSearch: 'Clear search',
  waitingRoom: 'Waiting Room',
  waitingCount: (count: number) => `${count} waiting`,
  openMenu: 'Open menu',
  build: (hash: string, peer: string | undefined) => (peer ? `Build ${hash}, peer ${peer}` : `Build ${hash}`),
  fallback: {
    title: 'Something went wrong',
    text: 'This page ran into a problem. Anything you saved is safe.',
    reload: 'Reload',
  },
} as const;
