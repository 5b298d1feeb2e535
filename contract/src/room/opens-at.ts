import { earlyMinutes } from '../limits.ts';

/** The earliest moment at which a patient may enter the room of an appointment, ms. `startDate` is an ISO instant. */
export const opensAt = (startDate: string): number => Date.parse(startDate) - earlyMinutes * 60_000;
