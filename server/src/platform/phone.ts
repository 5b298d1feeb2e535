/** Converts ten typed US digits to E.164, the stored format. */
export const toE164 = (phone: string): string => `+1${phone}`;

/** The inverse of {@link toE164}. */
export const fromE164 = (phone: string): string => phone.replace(/^\+1/, '');
