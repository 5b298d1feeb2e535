/** Texts of every form. */
export const texts = {
  check: 'Please fix the fields below.',
  save: 'Save',
  /** Shown on the page that was opened meanwhile. */
  notSaved: (words: string) => `Your changes weren’t saved. ${words}`,
  counter: (length: number, max: number) => `${length}/${max}`,
  phoneNote: 'US numbers only. Outside the US, use email.',
  showPassword: 'Show password',
  hidePassword: 'Hide password',
  generate: 'Generate a password',
  stale: {
    title: 'Someone else has changed this in the meantime.',
    text: 'What you typed is still here. Save again to keep it.',
    stored: (label: string, value: string) => `${label} is now “${value}”.`,
    storedEmpty: (label: string) => `${label} is now empty.`,
    on: 'on',
    off: 'off',
    others: 'Other fields were changed too. Saving replaces them with what is shown here. Reload the page to see them.',
    take: (label: string) => `Use the other ${label}`,
  },
  unsaved: {
    title: 'Leave without saving?',
    text: 'Your changes haven’t been saved yet.',
    yes: 'Leave',
    no: 'Stay',
  },
  timeZone: 'Time zone',
  timeZoneHint: (time: string) => `Hours and rules use this time zone. It’s ${time} there now.`,
} as const;
