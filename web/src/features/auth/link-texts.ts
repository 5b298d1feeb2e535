/** Texts of the patient's first page (CODE-1). */
export const texts = {
  title: 'Patient Log In',
  heading: 'Welcome',
  code: 'Access Code (Case Sensitive)',
  submit: 'Submit',
  signingIn: 'Opening your visit…',
  required: 'Required',
  tooLong: (max: number) => `At most ${max} characters`,
  help: 'The access code is in the message from your clinic.',
  notSignedIn:
    'Please enter your access code to go on. If your visit was moved or cancelled, use the latest message from your clinic.',
  providerLogin: 'Provider Login',
} as const;
