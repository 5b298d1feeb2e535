/** Texts of the field for cards. */
export const texts = {
  frame: 'Card details',
  notLoaded: 'The card field could not be loaded. Please check your connection and reload the page.',
  failed: 'This card could not be read. Please check it and try again.',
  bank: 'Your bank’s question',
  closeBank: 'Close',
} as const;
