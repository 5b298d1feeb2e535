/** Texts of a forgotten password's pages; loaded with them. */
export const texts = {
  requestReset: {
    title: 'Reset Password',
    text: 'We’ll email you a link to choose a new password.',
    email: 'Email',
    submit: 'Send link',
    sent: 'The request has been sent. Please check your inbox.',
    login: 'Login',
  },
  reset: {
    title: 'Choose a new password',
    text: 'You’ll be signed out on all other devices.',
    password: 'New password',
    hint: '8 to 100 characters',
    submit: 'Save and sign in',
    done: 'Your password has been reset successfully.',
    again: 'Request a new link',
  },
} as const;
