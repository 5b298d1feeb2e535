/** Words of the staff's way in and out, and of the patient's last page. */
export const texts = {
  login: {
    title: 'Provider Login',
    email: 'Email',
    password: 'Password',
    remember: 'Remember me',
    rememberHint: 'Stays signed in on this device for 30 days.',
    submit: 'Log In',
    reset: 'Reset Password',
    signUp: 'Sign Up',
    with: (description: string) => `Log in with ${description}`,
    signingIn: 'Signing you in…',
    toForm: 'Log in with email and password',
  },
  logout: 'See ya later!',
  thanks: {
    title: 'Thank You!',
    over: 'Your appointment is over',
    close: 'You may close this window now',
  },
  requestReset: {
    title: 'Reset Password',
    text: 'We send you a link to pick a new password.',
    email: 'Email',
    submit: 'Send the link',
    sent: 'The request has been sent. Please check your inbox.',
    login: 'Login',
  },
  reset: {
    title: 'Pick a new password',
    text: 'All your other sign-ins end with this.',
    password: 'New password',
    hint: '8 to 100 characters',
    submit: 'Save and log in',
    done: 'Your password has been reset successfully.',
    again: 'Request a new link',
  },
} as const;
