/** Texts of the parts of My Account about signing in. */
export const texts = {
  devices: {
    title: 'Signed-in devices',
    text: 'Lost a device, or don’t recognize one? Sign it out here. Then change your password.',
    name: (browser: string, system: string) =>
      browser && system ? `${browser} on ${system}` : browser || system || 'Unknown device',
    thisDevice: 'This device',
    network: (network: string) => `Network ${network}`,
    signedIn: (time: string) => `Signed in ${time}`,
    lastUsed: (time: string) => `Last used ${time}`,
    signOut: 'Sign out',
    signOutOf: (device: string) => `Sign out: ${device}`,
    question: (device: string) => `Sign out ${device}?`,
    questionDetail: (time: string) => `Signed in ${time}. Work that isn’t saved on that device may be lost.`,
    cancel: 'Cancel',
    signedOut: (device: string) => `${device} was signed out.`,
    everywhere: 'Sign out everywhere',
    everywhereQuestion: 'You’ll be signed out on this and all other devices.',
  },
} as const;
