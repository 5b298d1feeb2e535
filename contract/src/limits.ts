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
  /** Chat (CONST-2, VALID-3): after trimming. */
  chatMin: 2,
  chatMax: 1600,
  notes: 50_000,
  cancellationNotes: 1000,
  search: 100,
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
