/** Words of the frame around the pages. */
export const texts = {
  menu: 'Main menu',
  skip: 'Skip to the content',
  today: 'Today',
  schedule: 'Schedule',
  patients: 'Patients',
  patientLogin: 'Patient Login',
  providerLogin: 'Provider Login',
  admin: 'Admin',
  myAccount: 'My Account',
  logout: 'Logout',
  update: { title: 'A new version is available', text: 'Would you like to reload the application?' },
  notFound: {
    title: 'Page not found',
    text: 'You have requested an invalid route',
    note: 'If a link of this application has led you here, please contact the developers.',
    home: 'Go to the start page',
  },
  offline: {
    title: 'OH NO...',
    text: 'You seem offline',
    note: 'We keep trying, and bring you back as soon as the connection is there.',
  },
  signedOut: {
    title: 'Sign in',
    text: 'You’re signed out. Sign in to see this page.',
    signIn: 'Sign in',
  },
  idle: {
    title: 'Are you still there?',
    text: (seconds: number) =>
      `For the patients’ privacy you will be signed out in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
    stay: 'Stay signed in',
    signedOut: 'You have been signed out because nothing was done for a while.',
  },
} as const;
