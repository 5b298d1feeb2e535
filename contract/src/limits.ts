/** How long a move by drag and drop can be undone before the patient is notified, ms. */
export const moveUndoMs = 10_000;

/** Field limits (CONST-9) and other figures both sides use. Lengths are in characters. */
export const limits = {
  name: 50,
  email: 100,
  emailLogin: 5,
  phone: 10,
  npi: 10,
  passwordMin: 8,
  passwordMax: 100,
  generatedPassword: 12,
  accessCode: 32,
  welcomeMessage: 200,
  appointmentExternalId: 100,
  patientExternalId: 50,
  patientPhones: 5,
  /** Chat (CONST-2, VALID-3): after trimming. */
  chatMin: 2,
  chatMax: 1600,
  notes: 50_000,
  cancellationNotes: 1000,
  search: 100,
  ruleDescription: 100,
  /** Windows of one scheduling rule, and providers on it. */
  ruleTimes: 20,
  ruleProviders: 200,
  timeOffReason: 200,
  bookingWish: 500,
  frontEndUrl: 100,
} as const;

/** Page sizes of every list (CONST-1, LIST-16). */
export const pageSizes = [5, 10, 20, 50] as const;
export const maxTop = 50;
/** Search text is sent after this pause, ms (CONST-1). */
export const searchDebounceMs = 500;

/** Staff may set a visit's planned length within these bounds, minutes. */
export const durationBounds = { min: 5, max: 600 } as const;

/** A patient who opens the link earlier than this sees the time, not the room; minutes. */
export const earlyMinutes = 60;
/** Without a visit this long after the start an appointment is missed; minutes. */
export const missedAfterMinutes = 60;
/** Both present for this long means a completed visit; seconds. */
export const completedAfterSeconds = 60;
/** A patient without type 4 is announced after this, marked 'no camera'; seconds. */
export const noCameraSeconds = 20;
/** A return within this bridges the gap in a visit's duration; seconds. */
export const bridgeSeconds = 30;
/** An access code dies this long after the visit; hours. */
export const codeHoursAfterVisit = 24;

/** Intervals of scheduling rules (VALID-28, CONST-15); 0 = exactly one date. */
export const maxEvery = { days: 365, weeks: 52, months: 12 } as const;
/** Steps between starts and lengths of visits that a company may choose (CONST-10), minutes. */
export const slotMinutes = [10, 15, 20, 30, 60] as const;
/** The hours a company's day may begin and end at (CONST-10). */
export const hourBounds = { min: 6, max: 18 } as const;
/** Days that one range call of the calendars covers at most. */
export const maxCalendarDays = 42;
/** Days that one call for bookable starts covers at most, and how far ahead patients may book or move; days. */
export const maxBookingDays = 31;
export const bookAheadDays = 90;
/** A time stays held for a patient who is booking this long; minutes. Holds per address at a time. */
export const holdMinutes = 5;
export const holdsPerAddress = 3;
/** What one address may ask of the booking page within a minute: free times, and to hold one. */
export const slotsPerMinute = 60;
export const holdsPerMinute = 20;
/** Bookings by link that one address makes within an hour without a code that confirms the contact. */
export const bookingsPerHour = 3;
/** A time stays held while the code is on its way; minutes. */
export const confirmMinutes = 10;
/** Visits ahead, booked by link with the same email or phone, until the clinic has recognised the patient. */
export const maxUnverifiedVisits = 5;
/** How long before the start patients may still move or cancel by themselves: the company's choice, hours. */
export const maxNoticeHours = 720;
/** Reminders leave this long before the start (VALID-13); limit of a visit (VALID-15) and patience before a nudge (VALID-17); minutes. */
export const remindBounds = { min: 2, max: 90 } as const;
export const maxVisitLimit = 600;
export const maxNudgeMinutes = 600;
/** VALID-14, VALID-16. */
export const maxProviders = 9999;
export const maxFee = 10_000;
