/** Texts of the notes in the room (STATE-20). */
export const texts = {
  title: 'Notes',
  /** For a tool whose notes are not saved. */
  unsaved: 'Notes, not saved yet',
  close: 'Close notes',
  placeholder: 'Write notes about this visit',
  hint: 'For staff only. Saved as you type.',
  loading: 'Loading…',
  notLoaded: 'The notes couldn’t be loaded. We’ll keep trying.',
  saving: 'Saving…',
  saved: 'Saved',
  failed: 'Not saved yet. We’ll keep trying.',
  conflict: 'Someone else has changed the notes in the meantime.',
  theirs: 'The other notes',
  none: 'Empty',
  mine: 'Your notes are in the field above.',
  keepBoth: 'Keep both',
  keepMine: 'Keep mine',
  useTheirs: 'Use the other',
} as const;
