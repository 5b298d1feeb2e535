/**
 * What each action of the audit log is called: every call, and what the hub, jobs, commands and alarms record. `viewed` showed data,
 * `changed` changed it, `signed` signed someone in or out. A test finds calls that are missing here.
 */
export type AuditKind = 'viewed' | 'changed' | 'signed' | 'refused';

interface AuditAction {
  readonly kind: Exclude<AuditKind, 'refused'>;
  readonly text: string;
}

const viewed = (text: string): AuditAction => ({ kind: 'viewed', text });
const changed = (text: string): AuditAction => ({ kind: 'changed', text });
const signed = (text: string): AuditAction => ({ kind: 'signed', text });

export const auditActions: Readonly<Record<string, AuditAction>> = {
  // Signing in and out. The functions of the audit log name these actions, too (migrations/functions/audit.sql).
  login: signed('Signed in'),
  oneTimeLogin: signed('Signed in by a link'),
  passwordReset: signed('Picked a new password and signed in'),
  logout: signed('Signed out'),
  logoutEverywhere: signed('Signed out on all devices'),
  joinAsGuest: signed('Signed in as a guest'),
  completeSignIn: signed('Completed a sign-in with a code'),
  completeSignInWithPasskey: signed('Completed a sign-in with a passkey'),
  passkeySignIn: signed('Signed in with a passkey'),
  confirmSignUp: signed('Confirmed a sign-up and signed in'),
  finishExternalSignIn: signed('Signed in with an external provider'),
  endOwnSignIn: signed('Signed out on one of the own devices'),

  getBrand: viewed('Viewed the sign-in page'),
  refresh: changed('Renewed a sign-in'),
  requestPasswordReset: changed('Asked for a link to reset a password'),
  getSession: viewed('Viewed the own sign-in'),
  refreshTokenReplayed: changed('A sign-in was used on two devices: it was ended'),
  manyWrongCodes: changed('Alarm: many wrong access codes'),
  manyRefusals: changed('Many different requests were refused'),

  startExternalSignIn: viewed('Opened the page of an external provider'),
  continueExternalSignIn: changed('Was asked for the second factor after an external provider'),
  linkExternalUser: changed('Connected a user with an external provider'),
  startPasskeySignIn: changed('Began to sign in with a passkey'),
  signUp: changed('Asked for a new company'),
  listSignIns: viewed('Viewed the own signed-in devices'),
  getSecondFactor: viewed('Viewed the own second factor'),
  confirmIdentity: changed('Confirmed the own password'),
  startConfirmation: changed('Was asked for a passkey'),
  confirmWithPasskey: changed('Confirmed by a passkey'),
  startAuthenticator: changed('Began to set up an authenticator app'),
  confirmAuthenticator: changed('Set up an authenticator app'),
  removeAuthenticator: changed('Removed the authenticator app'),
  createRecoveryCodes: changed('Created new recovery codes'),
  startPasskey: changed('Began to add a passkey'),
  addPasskey: changed('Added a passkey'),
  renamePasskey: changed('Renamed a passkey'),
  removePasskey: changed('Removed a passkey'),
  resetSecondFactor: changed('Reset a user’s second factor'),

  getAccount: viewed('Viewed the own account'),
  saveAccount: changed('Changed the own account'),
  listDoctors: viewed('Viewed the list of providers'),
  listRoles: viewed('Viewed the list of roles'),
  listUsers: viewed('Viewed the list of users'),
  getUser: viewed('Viewed a user'),
  saveUser: changed('Saved a user'),
  deleteUser: changed('Deleted a user'),
  inviteUser: changed('Sent a user a link to pick a password'),
  endUserSignIns: changed('Signed a user out on all devices'),

  getCompanySettings: viewed('Viewed the company’s settings'),
  getCompany: viewed('Viewed the company'),
  saveCompany: changed('Saved the company'),
  listBrands: viewed('Viewed the list of brands'),
  getBrandSettings: viewed('Viewed a brand'),
  saveBrand: changed('Saved a brand'),
  deleteBrand: changed('Deleted a brand'),
  getBrandLogo: viewed('Viewed a logo'),

  listCompanies: viewed('Viewed the list of companies'),
  deleteCompany: changed('Deleted a company'),

  listPaymentProcessors: viewed('Viewed the payment processors'),
  getPayment: viewed('Viewed what is owed for an appointment'),
  checkPromo: changed('Tried a promo code'),
  patientPay: changed('Paid for an appointment by card'),
  settlePayment: changed('Asked how a payment stands'),
  getReceipt: viewed('Viewed a receipt'),
  refundAppointment: changed('Refunded an appointment'),
  chargePaid: changed('A payment by card was received'),
  chargeFailed: changed('A payment by card failed'),
  chargeRefunded: changed('A payment by card was refunded'),
  listLedger: viewed('Viewed the payments of the clinic'),
  getLedgerTotals: viewed('Viewed the sums of payments'),
  downloadLedger: viewed('Downloaded the payments of the clinic'),
  listOpenBalances: viewed('Viewed what patients owe'),
  listPromos: viewed('Viewed the promo codes'),
  getPromo: viewed('Viewed a promo code'),
  savePromo: changed('Saved a promo code'),
  deletePromo: changed('Deleted a promo code'),

  listPatients: viewed('Viewed the list of patients'),
  getPatient: viewed('Viewed a patient’s record'),
  savePatient: changed('Saved a patient’s record'),
  deletePatient: changed('Deleted a patient'),
  listPatientMatches: viewed('Viewed patients who may be the same person'),
  mergePatient: changed('Merged two patients'),
  recognisePatient: changed('Recognized a returning patient'),
  exportPatient: viewed('Exported a patient’s data'),
  erasePatient: changed('Erased a patient’s data'),

  listAppointments: viewed('Viewed a list of appointments'),
  downloadAppointments: viewed('Downloaded a list of appointments'),
  getAppointment: viewed('Viewed an appointment'),
  saveAppointment: changed('Saved an appointment'),
  moveAppointment: changed('Moved an appointment'),
  deleteAppointment: changed('Deleted an appointment'),
  notifyAppointment: changed('Sent an invitation'),
  deliverNotification: changed('A notification was sent'),
  connectAppointment: changed('Opened a visit'),
  updateNotes: changed('Saved visit notes'),
  startInstantAppointment: changed('Started an instant appointment'),

  listFiles: viewed('Viewed the files of an appointment'),
  uploadFile: changed('Added a file'),
  shareFiles: changed('Changed which files the patient sees'),
  downloadFile: viewed('Downloaded a file'),
  deleteFile: changed('Deleted a file'),

  listPhotos: viewed('Viewed a patient’s photos'),
  getPhoto: viewed('Viewed a photo'),
  downloadPhoto: viewed('Downloaded a photo'),
  uploadPhoto: changed('Took a photo'),
  deletePhoto: changed('Deleted a photo'),

  listRecordings: viewed('Viewed the recordings of a visit'),
  playRecording: viewed('Played a recording'),
  uploadRecording: changed('Recorded a part of a visit'),
  deleteRecording: changed('Deleted a recording'),
  deleteRecordings: changed('Deleted the recordings of a visit'),
  getRecordingState: viewed('Viewed whether a visit is recorded'),
  startRecording: changed('Asked to record a visit'),
  stopRecording: changed('Stopped recording a visit'),
  answerRecording: changed('Answered whether a visit may be recorded'),

  getArrivedCount: viewed('Viewed the number of waiting patients'),
  listArrived: viewed('Viewed the waiting room'),
  announceDelay: changed('Announced a delay'),
  holdPatient: changed('Changed whether a patient is on hold'),
  handOverPatient: changed('Handed a patient over'),
  writeToPatient: changed('Wrote to a waiting patient'),
  saveDeviceCheck: changed('Checked their devices'),

  getTeleappointment: viewed('Opened the room'),
  listMessages: viewed('Read the chat'),
  saveVisitQuality: changed('Sent the quality of the connection'),
  getVisitQuality: viewed('Viewed the quality of a visit'),
  listMyVisits: viewed('Viewed their visits'),
  getVisitCalendar: viewed('Downloaded a calendar entry'),
  Subscribe: changed('Entered the room'),
  Unsubscribe: changed('Left the room'),
  SendText: changed('Sent a chat message'),
  Ready: changed('Joined the call'),
  EndVisit: changed('Ended the visit'),

  getScheduleSettings: viewed('Viewed the schedule’s settings'),
  listSchedule: viewed('Viewed the schedule'),
  listSlots: viewed('Viewed free times'),
  listRules: viewed('Viewed the scheduling rules'),
  getRule: viewed('Viewed a scheduling rule'),
  saveRule: changed('Saved a scheduling rule'),
  deleteRule: changed('Deleted a scheduling rule'),
  listTimeOff: viewed('Viewed closures and leave'),
  listTimeOffVisits: viewed('Viewed appointments during a closure or leave'),
  saveTimeOff: changed('Saved a closure or leave'),
  deleteTimeOff: changed('Deleted a closure or leave'),

  getBookingPage: viewed('Viewed the booking page'),
  listBookingSlots: viewed('Viewed free times to book'),
  holdSlot: changed('Held a time for a booking'),
  releaseSlot: changed('Released a held time'),
  bookVisit: changed('Booked an appointment'),
  requestVisit: changed('Asked for an appointment'),
  listBookingRequests: viewed('Viewed the requests for appointments'),
  closeBookingRequest: changed('Closed a request for an appointment'),
  listUpcomingVisits: viewed('Viewed their upcoming visits'),
  listMySlots: viewed('Viewed free times for their visit'),
  moveMyVisit: changed('Moved their visit'),
  cancelMyVisit: changed('Cancelled their visit'),

  listGuests: viewed('Viewed the guests of a visit'),
  inviteGuest: changed('Invited a guest to a visit'),
  sendGuestLink: changed('Sent a guest the link'),
  removeGuest: changed('Removed a guest from a visit'),
  getInvitation: changed('Opened an invitation'),
  getGuestVisit: viewed('Viewed the visit as a guest'),

  getNumbers: viewed('Viewed the clinic’s numbers'),
  downloadNumbers: viewed('Downloaded the clinic’s numbers'),
  listAttention: viewed('Viewed what needs attention'),
  getFirstSteps: viewed('Viewed the first steps'),
  dismissFirstSteps: changed('Hid the first steps'),
  noteBookingLink: changed('Used the booking link'),
  startTestVisit: changed('Started a test visit'),

  getDataExport: viewed('Viewed the state of the export of all data'),
  startDataExport: changed('Asked for an export of all data of the clinic'),
  finishDataExport: viewed('An export of all data of the clinic was made'),
  openDataExport: changed('Opened the export of all data for a download'),
  downloadDataExport: viewed('Downloaded all data of the clinic'),
  completeDataExport: viewed('A download of all data of the clinic was completed'),
  cancelDataExport: changed('Deleted an export of all data'),
  getRetention: viewed('Viewed how long records are kept'),
  countOverdue: viewed('Counted records that are kept too long'),
  saveRetention: changed('Changed how long records are kept'),
  deleteOverdue: changed('Deleted old records as the clinic’s settings say'),

  listAuditLog: viewed('Viewed the audit log'),
  downloadAuditLog: viewed('Downloaded the audit log'),
  getAuditState: viewed('Viewed the state of the audit log'),
};

/** The action in plain words; an unknown one by its name. */
export const auditText = (action: string): string => auditActions[action]?.text ?? action;

/** The actions of a kind. */
export const auditActionsOf = (kind: AuditKind): readonly string[] =>
  Object.keys(auditActions).filter((action) => auditActions[action]?.kind === kind);

/** What administrators filter by; the kinds in their order. */
export const auditKinds = ['viewed', 'changed', 'signed', 'refused'] as const satisfies readonly AuditKind[];
