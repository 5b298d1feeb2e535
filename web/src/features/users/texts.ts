/** Texts of My Account. */
export const texts = {
  title: 'My Account',
  person: 'About you',
  firstName: 'First name',
  lastName: 'Last name',
  email: 'Email',
  phone: 'Phone',
  arrivals: 'When a patient arrives',
  byEmail: 'Send me an email',
  byText: 'Send me a text message',
  arrivalsOf: (providers: readonly string[], own: boolean) => {
    const whose = [...(own ? ['your own patients'] : []), ...providers.map((name) => `patients of ${name}`)];
    return whose.length === 0
      ? 'You aren’t notified about anyone’s patients yet.'
      : `You’re notified about ${new Intl.ListFormat('en').format(whose)}.`;
  },
  arrivalsBy: 'An administrator chooses whose.',
  password: 'Password',
  newPassword: 'New password',
  newPasswordHint: 'Leave empty to keep your current password.',
  currentPassword: 'Current password',
  currentPasswordHint: 'Needed to change your email, phone or password. You’ll be signed out on other devices.',
  noPassword: 'You don’t have a password here. You can choose one by a link that we email you.',
  sendLink: 'Email me a link',
  linkSent: (email: string) => `The link is on its way to ${email}.`,
  saved: 'Your information has been successfully updated.',
} as const;
