/** Texts of the second step of a sign-in, loaded with it. */
export const texts = {
  title: 'One more step',
  passkey: {
    text: 'Confirm with your passkey: your fingerprint, face, screen lock or security key.',
    other: 'Use a passkey',
    submit: 'Use your passkey',
    elsewhere: (host: string) => `Your passkey works on ${host} only. Please sign in there.`,
    there: (host: string) => `Go to ${host}`,
  },
  authenticator: {
    text: 'Open the authenticator app on your phone and enter the code for Roomside.',
    label: 'Code',
    other: 'Use your authenticator app',
  },
  recovery: {
    text: 'Enter one of the recovery codes that you saved. Each code works once.',
    label: 'Recovery code',
    other: 'Use a recovery code',
  },
  trust: 'Remember this device for 30 days',
  trustHint: 'We won’t ask for this step here. Don’t choose this on a shared computer.',
  submit: 'Continue',
  required: 'Required',
  restart: 'Start over',
  help: 'Can’t use any of these? Ask your administrator for help.',
} as const;
