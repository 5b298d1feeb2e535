/** Notices of the live connection (STATE-8, ERROR-1). */
export const texts = {
  cannotConnect: 'Cannot connect to the messaging hub.',
  unstable: 'Your connection is unstable. Trying to reconnect...',
  back: 'The connection has been re-established.',
} as const;
