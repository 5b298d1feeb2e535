/** Words of every form. */
export const texts = {
  check: 'Please check the marked fields.',
  save: 'Save',
  counter: (length: number, max: number) => `${length}/${max}`,
  phoneNote: 'US numbers only. For other countries please use an email.',
  showPassword: 'Show password',
  hidePassword: 'Hide password',
  generate: 'Generate a password',
  unsaved: {
    title: 'Leave without saving?',
    text: 'What you have typed here is not saved yet.',
    yes: 'Leave',
    no: 'Stay',
  },
} as const;
