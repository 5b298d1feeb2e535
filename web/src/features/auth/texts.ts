/** Texts of the staff's sign-in and sign-out, and of the patient's thank-you page. */
export const texts = {
  login: {
    title: 'Provider Login',
    email: 'Email',
    password: 'Password',
    show: 'Show',
    hide: 'Hide',
    remember: 'Remember me',
    rememberHint: 'Stays signed in on this device for 30 days, unless unused for 7 days.',
    submit: 'Log In',
    passkey: 'Sign in with a passkey',
    passkeyFailed: 'The passkey wasn’t used. Please try again, or sign in another way.',
    reset: 'Reset Password',
    signUp: 'Sign Up',
    signingIn: 'Signing you in…',
    toForm: 'Sign in with email and password',
  },
  idle: {
    ended: 'You’ve been signed out due to inactivity.',
    paused: 'This page was closed due to inactivity. You are still signed in on this device.',
    continue: 'Continue',
    another: 'Sign in as someone else',
    over: 'Your sign-in has ended. Please sign in again.',
  },
  logout: 'See ya later!',
  thanks: {
    title: 'Thank You!',
    over: 'Your appointment is over',
    close: 'You may close this window now',
  },
} as const;
