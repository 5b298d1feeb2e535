/** Errors of a brand's fields, which server and screen share. */
export const brandTexts = {
  hostNotValid: 'Enter host names such as visits.example.com.',
  manyHosts: (max: number) => `At most ${max} host names`,
  hostTaken: (host: string) => `${host} belongs to another brand.`,
  colorNotValid: 'Enter a color such as #1f5fa8.',
  colorTooLight: 'White text can’t be read on this color. Choose a darker one.',
  logoTooLarge: (kilobytes: number) => `The picture has more than ${kilobytes} KB.`,
  logoType: 'Choose a PNG, JPEG, or WebP picture.',
  domainNotValid: 'Enter domains such as example.com.',
  providerNameNotValid: 'Lowercase letters, digits, and dashes only',
  sameProviderName: 'Another provider of this brand has this name.',
  issuerNotValid: 'Enter an address such as https://login.example.com.',
  issuerNeedsHttps: 'The address must begin with https://.',
} as const;
