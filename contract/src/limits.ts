/** How long moving an appointment by drag and drop can be undone before the patient is notified, ms. */
export const moveUndoMs = 10_000;

/** Field limits (CONST-9) used by browser and server. Lengths are in characters. */
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
  /** A code of an authenticator app or a recovery code, with spaces. */
  secondFactorCode: 40,
  welcomeMessage: 200,
  appointmentExternalId: 100,
  patientExternalId: 50,
  patientPhones: 5,
  /** Chat messages (CONST-2, VALID-3): length after trimming. */
  chatMin: 2,
  chatMax: 1600,
  notes: 50_000,
  cancellationNotes: 1000,
  search: 100,
  ruleDescription: 100,
  promoCode: 50,
  /** Public and secret keys of payment processors (VALID-19). */
  processorKey: 100,
  refundReason: 200,
  /** Windows and providers of one scheduling rule. */
  ruleTimes: 20,
  ruleProviders: 200,
  timeOffReason: 200,
  bookingWish: 500,
  frontEndUrl: 100,
  fileName: 200,
  guestName: 60,
  guestLink: 64,
  host: 253,
  issuer: 200,
  clientSecret: 200,
  calendarAddress: 2000,
} as const;

/** Messages that a company which has signed up may send in a day, until its trial ends. */
export const trialMessagesPerDay = 200;

/** The maximum size of the logo of a brand or provider, bytes; and the hosts and providers of one brand. */
export const maxLogoBytes = 48 * 1024;
export const maxBrandHosts = 20;
export const maxBrandProviders = 5;

/** The maximum size of an external calendar, bytes; and how many days ahead its busy times are known. */
export const maxCalendarBytes = 5 * 1024 * 1024;
export const busyAheadDays = 180;

/** How long a browser in which a second factor was used needs none, if the user wishes so. */
export const trustedDeviceDays = 30;

/** The maximum size of a file of an appointment, bytes. */
export const maxFileBytes = 100 * 1024 * 1024;
/** The maximum size of a photo, bytes. */
export const maxPhotoBytes = 25 * 1024 * 1024;
/** The maximum number of photos in the list of a patient, and of those that a patient's device may add to one visit. */
export const maxListedPhotos = 500;
export const maxPhotosOfVisit = 100;

/** The bit rate of recordings (CONST-5), bits per second. */
export const recordingBitRate = 524_288;
/** The length of one segment of a recording, ms. What a segment holds in memory, and what a lost one loses, is bounded by it. */
export const recordingSegmentMs = 120_000;
/**
 * The maximum size of a segment, bytes. At the bit rate a segment has 8 MB; browsers exceed the rate briefly, and a page that was
 * suspended ends its segment late.
 */
export const maxRecordingBytes = 64 * 1024 * 1024;

/** Page sizes of every list (CONST-1, LIST-16). */
export const pageSizes = [5, 10, 20, 50] as const;
export const maxTop = 50;
/** The debounce time of search fields, ms (CONST-1). */
export const searchDebounceMs = 500;

/** The bounds of an appointment's planned length, minutes. */
export const durationBounds = { min: 5, max: 600 } as const;

/** The room opens for patients this long before the start; minutes. */
export const earlyMinutes = 60;
/** The estimate of a wait; minutes. */
export const estimateBounds = { min: 1, max: 180 } as const;
/** An appointment without a visit is missed this long after its start; minutes. */
export const missedAfterMinutes = 60;
/** A visit is completed when both sides were present for this long; seconds. */
export const completedAfterSeconds = 60;
/** An arrival without a type 4 message is announced after this time, marked 'no camera'; seconds. */
export const noCameraSeconds = 20;
/** An absence up to this long counts as part of the visit's duration; seconds. */
export const bridgeSeconds = 30;
/** An access code expires this long after the appointment's end; hours. */
export const codeHoursAfterAppointment = 24;

/** Intervals of scheduling rules (VALID-28, CONST-15); 0 = exactly one date. */
export const maxEvery = { days: 365, weeks: 52, months: 12 } as const;
/** The slot intervals and appointment lengths that a company may choose (CONST-10), minutes. */
export const slotMinutes = [10, 15, 20, 30, 60] as const;
/** The maximum number of people in a room: each sends sound and video to each other one. */
export const maxPeers = 4;
/** The maximum number of open invitations of one visit, and of messages with one link. */
export const maxGuests = 10;
export const maxGuestMessages = 3;
/** The earliest and latest hours of a company's day (CONST-10). */
export const hourBounds = { min: 6, max: 18 } as const;
/** The maximum range of one calendar call, days. */
export const maxCalendarDays = 42;
/** The maximum range of one call for bookable starts, and how far ahead patients may book or move; days. */
export const maxBookingDays = 31;
export const bookAheadDays = 90;
/** How long a start is held during booking, minutes; and the maximum number of holds per address at a time. */
export const holdMinutes = 5;
export const holdsPerAddress = 3;
/** The maximum number of requests of one address per minute: for free starts, and for holds. */
export const slotsPerMinute = 60;
export const holdsPerMinute = 20;
/** Bookings by link of one address per hour without a code that confirms the contact. */
export const bookingsPerHour = 3;
/** How long a start is held from each code on that was sent to confirm the contact; minutes. */
export const confirmMinutes = 10;
/**
 * The maximum number of upcoming appointments booked by link with the same email or phone by unverified patients. Those that were booked and
 * cancelled within an hour count.
 */
export const maxUnverifiedAppointments = 5;
/** How often patients may move one appointment in 24 hours: each time they get a mail and a text message. */
export const maxMovesPerDay = 5;
/** The maximum of a company's notice period for moving or cancelling by patients, hours. */
export const maxNoticeHours = 720;
/** The bounds of the reminder time before the start (VALID-13), of the visit limit (VALID-15) and of the waiting time before a nudge (VALID-17); minutes. */
export const remindBounds = { min: 2, max: 90 } as const;
export const maxVisitLimit = 600;
export const maxNudgeMinutes = 600;
/** VALID-14, VALID-16. */
export const maxProviders = 9999;
export const maxFee = 10_000;
/** The most uses that a promo code can be limited to. */
export const maxPromoUses = 1_000_000;
