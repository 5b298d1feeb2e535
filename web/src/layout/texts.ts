/** Texts of the frame around the pages. */
export const texts = {
  menu: 'Main menu',
  skip: 'Skip to content',
  today: 'Today',
  schedule: 'Schedule',
  patients: 'Patients',
  patientLogin: 'Patient Login',
  providerLogin: 'Provider Login',
  admin: 'Admin',
  myAccount: 'My Account',
  logout: 'Logout',
  update: {
    title: 'A new version is available',
    text: 'Would you like to reload the application?',
    yes: 'Reload',
    no: 'Not now',
  },
  notFound: {
    title: 'Page not found',
    text: 'You have requested an invalid route',
    note: 'If a link in this application brought you here, please contact the developers.',
    home: 'Go to the home page',
  },
  offline: {
    title: 'OH NO...',
    text: 'You seem offline',
    note: 'We’ll keep trying and bring you back once you’re online.',
  },
  signedOut: {
    title: 'Sign in',
    text: 'You’re signed out. Sign in to see this page.',
    signIn: 'Sign in',
  },
  expired: {
    title: 'License expired',
    since: (company: string, day: string) =>
      `The license of ${company} has expired. It has not been valid since ${day}.`,
    note: 'Visits that are running go on. Appointments, patients and settings are kept, and come back with a new license.',
    write: (email: string) => `To renew it, write to ${email}.`,
    ask: 'To renew it, ask the operator of this installation.',
    contact: 'Contact support',
    renew: 'Renew the license',
    download: 'Download the clinic’s data',
    renewHere: 'You can renew it now.',
  },
  requiredFactor: {
    title: 'Set up two-step sign-in',
    text: 'Your clinic requires two-step sign-in. Add a passkey or an authenticator app to continue. It takes about a minute.',
    done: 'Two-step sign-in is on.',
    continue: 'Continue',
    noticeLabel: 'Two-step sign-in',
    notice: (day: string) => `From ${day}, your clinic requires two-step sign-in. Set it up before then.`,
    setUp: 'Set it up',
  },
  idle: {
    title: 'Are you still there?',
    text: (seconds: number) =>
      `To protect patients’ privacy, you’ll be signed out in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
    pauseText: (seconds: number) =>
      `To protect patients’ privacy, this page will be closed in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
    stay: 'Stay signed in',
  },
} as const;
