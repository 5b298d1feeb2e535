import { instantToWall } from '@roomside/contract/time.ts';

/** The license of a new company. */
export const newLicense = { providerCount: 1, days: 30 };

/** The day on which the license of a company that is created now ends, YYYY-MM-DD. */
export const newLicenseEnds = (now: string, timeZone: string): string =>
  Temporal.PlainDate.from(instantToWall(now, timeZone).day).add({ days: newLicense.days }).toString();
