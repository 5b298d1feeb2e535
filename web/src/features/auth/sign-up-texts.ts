/** Texts of creating an account. */
export const texts = {
  title: 'Create a New Account',
  intro: 'For a new clinic. You can invite your colleagues afterwards.',
  trial: 'Free for 30 days with one provider.',
  closed: 'New accounts can’t be created here. Please ask your clinic’s administrator to invite you.',
  companyName: 'Company name',
  firstName: 'First Name',
  lastName: 'Last Name',
  email: 'Email',
  phone: 'Phone (optional)',
  password: 'Password',
  passwordHint: '8 to 100 characters',
  submit: 'Create account',
  login: 'I already have an account',
  backToLogin: 'Back to Login',
  sent: {
    title: 'Check your inbox',
    text: (email: string) => `We’ve sent an email to ${email}. Open its link within 24 hours to finish.`,
    note: 'Nothing there after a few minutes? Look in your spam folder, or check the address.',
    again: 'Use another email',
  },
  confirm: {
    title: 'One last step',
    text: 'Enter the password you picked, to show that it was you who signed up.',
    submit: 'Create account and sign in',
    again: 'Sign up again',
  },
} as const;
