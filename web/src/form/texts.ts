/** Words of every form. */
export const texts = {
  check: 'Please check the marked fields.',
  save: 'Save',
  counter: (length: number, max: number) => `${length}/${max}`,
  phoneNote: 'US numbers only. For other countries please use an email.',
  showPassword: 'Show password',
  hidePassword: 'Hide password',
  generate: 'Generate a password',
  stale: {
    title: 'Somebody else has changed this in the meantime.',
    text: 'What you typed is still here. Save again to keep it.',
    stored: (label: string, value: string) => `${label} is now “${value}”.`,
    storedEmpty: (label: string) => `${label} is now empty.`,
    take: (label: string) => `Use the other ${label}`,
  },
  unsaved: {
    title: 'Leave without saving?',
    text: 'What you have typed here is not saved yet.',
    yes: 'Leave',
    no: 'Stay',
  },
} as const;
