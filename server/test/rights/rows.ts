import type { Call } from '@roomside/contract/call.ts';
import { blankRecurrence } from '@roomside/contract/scheduling-rules/recurrence.ts';
import { brandBody } from '../build-brand.ts';
import { jpeg } from '../build-file.ts';
import { recordedDevice } from '../build-recording.ts';
import { password } from '../test-app.ts';
import type { Target } from './world.ts';

/** The input of a call for a target. */
interface Attempt {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  upload?: { bytes: Buffer; type: string };
}

/**
 * The expected rights of a call. `reaches` is what decides besides the caller's role: nothing ('self'), the target's company
 * ('company'), or for patients also its patient, for guests their visit ('visit'). `done` is the status of a success.
 */
export interface RightsRow {
  reaches: 'self' | 'company' | 'visit';
  done: number;
  /** The same for a patient, where it differs. */
  doneByPatient?: number;
  attempt(target: Target): Attempt;
  /** Changes data, so a target is used for one success only. */
  changes?: true;
  /** Needs a rule, time off or booking request. */
  parts?: true;
  /** Needs a user without records; `external`: who signs in by a provider. */
  user?: true | 'external';
  /** Needs an appointment without notes. */
  bare?: true;
  /** Needs an appointment that is inside its rule only. */
  ruled?: true;
  /** Needs a patient who is not verified. */
  unverified?: true;
  /** Providers for themselves only ('rules.write.own'). */
  ownOnly?: true;
  /** A Super reaches the installation's rows only, none of a company. */
  notSuper?: true;
}

const patient = (patientId: number) => ({
  patientId,
  version: 0,
  firstName: 'New',
  lastName: 'Name',
  doB: '1980-01-01',
  email: 'new@example.test',
  externalId: '',
  patientPhones: [],
});
const appointment = (target: Target) => ({
  appointmentId: target.appointmentId,
  version: 0,
  startDate: '2031-01-01T10:00:00.000Z',
  doctorId: target.doctorId,
  patientId: target.patientId,
  cancelled: false,
  cancellationNotes: '',
  externalId: '',
  welcomeMessage: '',
  overbook: true,
});
const visitQuality = {
  page: '11111111-1111-4111-8111-111111111111',
  lossAverage: 0.01,
  lossWorst: 0.2,
  rttAverageMs: 40,
  rttWorstMs: 300,
  jitterAverageMs: 5,
  jitterWorstMs: 50,
  concealedAverage: 0,
  concealedWorst: 0.1,
  freezes: 1,
  relayed: false,
  interruptions: 1,
  restarts: 2,
  goodSeconds: 600,
  fairSeconds: 20,
  poorSeconds: 0,
};
const rule = (target: Target) => ({
  ruleId: target.ruleId,
  version: 0,
  description: 'Mornings',
  disabled: false,
  ...blankRecurrence('2030-01-01'),
  ruleType: 'D',
  apptRulesTimes: [{ startTime: '09:00', endTime: '12:00' }],
  apptRulesPhysicians: [{ physicianId: target.doctorId }],
});
const company = (target: Target) => ({
  companyId: target.companyId,
  // Not the stored version: `stale` shows that the call was allowed, and the company is not changed.
  version: 999_999,
  companyName: 'Clinic',
  timeZone: 'UTC',
  remindBeforeMin: 30,
  startHour: 8,
  endHour: 17,
  slot: 15,
  duration: 15,
  limit: 0,
  selfPayFee: '0',
  notifyUsersMin: 0,
  noticeHours: 24,
  genericSchedule: false,
  confirmBookings: false,
  allowRecording: false,
  notifyProviders: 1,
});
const licenseOrder = (target: Target) => ({
  user: { company: { companyId: target.companyId, providerCount: 100 } },
  promoCode: null,
});
const csvDefinition = {
  fileId: 9_500_000_000,
  encoding: 'utf-8',
  separator: ',',
  hasHeader: true,
  dateOrder: 'mdy',
  shortYears: 'refuse',
  nameCase: 'keep',
  fields: ['firstName', 'lastName', 'doB', 'email'].map((name, columnIdx) => ({ name, columnIdx })),
};
const list = { top: 50, skip: 0 };
const day = (shift: number) => new Date(Date.now() + shift * 86_400_000).toISOString().slice(0, 10);
/** Forty days from now, which include the targets' appointments. */
const range = () => ({ from: day(0), to: day(40) });
/** The days around now, in any time zone. */
const today = () => ({ from: day(-1), to: day(1) });
const self = (done: number, attempt: Attempt = {}): RightsRow => ({ reaches: 'self', done, attempt: () => attempt });

const newPasskey = {
  id: 'AAAA',
  rawId: 'AAAA',
  type: 'public-key',
  clientExtensionResults: {},
  response: { clientDataJSON: 'e30', attestationObject: 'AAAA' },
};

/** A row for each call that needs a sign-in; rights.test.ts fails when one is missing. */
export const rightsRows: Record<string, RightsRow> = {
  getSignIn: self(200),
  listSignIns: self(200),
  // The sign-in of a number that no one has.
  getSecondFactor: self(200),
  confirmIdentity: self(422, { body: { currentPassword: 'not the password' } }),
  startConfirmation: self(409),
  confirmWithPasskey: self(401, {
    body: {
      response: {
        ...newPasskey,
        response: { clientDataJSON: 'e30', authenticatorData: 'AAAA', signature: 'AAAA' },
      },
    },
  }),
  // Without a confirmed identity nothing of the account changes.
  startAuthenticator: self(403),
  confirmAuthenticator: self(403, { body: { code: '000000' } }),
  removeAuthenticator: self(403),
  createRecoveryCodes: self(403),
  startPasskey: self(403),
  addPasskey: self(403, { body: { name: 'Phone', response: newPasskey } }),
  renamePasskey: self(403, { params: { passkeyId: 9_500_000_000 }, body: { name: 'Phone' } }),
  removePasskey: self(403, { params: { passkeyId: 9_500_000_000 } }),
  endOwnSignIn: self(404, { params: { signInId: 9_500_000_000 } }),
  getAccount: self(200),
  // The caller's record with another user's id is not found.
  saveAccount: {
    reaches: 'self',
    done: 404,
    attempt: (t) => ({
      body: {
        userId: t.doctorId + 500_000,
        firstName: 'A',
        lastName: 'B',
        email: 'a@b.test',
        phone: '',
        notificationType: 1,
        version: 0,
      },
    }),
  },
  listDoctors: self(200),
  listRoles: self(200),
  getNumbers: self(200, { query: { weeks: 2 } }),
  downloadNumbers: self(200, { query: { weeks: 2, table: 'weeks' } }),
  listAttention: self(200),
  getFirstSteps: self(200),
  dismissFirstSteps: self(204),
  noteBookingLink: self(204),
  startTestVisit: self(200),
  getDataExport: self(200),
  // Without the password nothing leaves.
  startDataExport: self(403),
  openDataExport: self(403, { params: { exportId: 9_500_000_000 } }),
  downloadDataExport: self(404, { params: { exportId: 9_500_000_000 } }),
  cancelDataExport: self(404, { params: { exportId: 9_500_000_000 } }),
  getCsvDefinition: self(200, { query: { type: 'Patient' } }),
  uploadCsv: self(200, {
    query: { name: 'a.csv' },
    upload: { bytes: Buffer.from('Name,Email\r\n'), type: 'text/csv' },
  }),
  exportCsv: self(200, { query: { type: 'Appointment' } }),
  getCsvProgress: self(200, { query: {} }),
  listCsvImports: self(200),
  getCsvColumns: {
    reaches: 'company',
    done: 200,
    attempt: (t) => ({ params: { fileId: t.csvFileId }, query: { encoding: 'utf-8', separator: ',' } }),
  },
  getCsvImport: { reaches: 'company', done: 200, attempt: (t) => ({ params: { fileId: t.csvFileId } }) },
  downloadWrongRows: { reaches: 'company', done: 200, attempt: (t) => ({ params: { fileId: t.csvFileId } }) },
  // A file that no one has.
  checkCsv: self(404, { body: csvDefinition }),
  parseCsv: self(404, { body: csvDefinition }),
  cancelCsvImport: self(404, { params: { fileId: 9_500_000_000 }, body: { keep: false } }),
  undoCsvImport: self(404, { params: { fileId: 9_500_000_000 } }),
  getRetention: self(200),
  countOverdue: self(200, { query: { chats: 12 } }),
  // Not the stored version: `stale` shows that the call was allowed.
  saveRetention: self(403, { body: { chats: null, files: null, recordings: null, version: 999_999 } }),
  listBrands: self(200, { query: list }),
  // The brand of a number that no one has.
  getBrandSettings: self(404, { params: { brandId: 9_500_000_000 } }),
  saveBrand: self(404, { body: brandBody({ brandId: 9_500_000_000 }) }),
  deleteBrand: self(404, { params: { brandId: 9_500_000_000 } }),
  listCompanies: self(200, { query: list }),
  listUsers: self(200, { query: list }),
  getUser: { reaches: 'company', done: 200, user: true, attempt: (t) => ({ params: { userId: t.userId } }) },
  saveUser: {
    reaches: 'company',
    done: 200,
    user: true,
    changes: true,
    attempt: (t) => ({
      body: {
        userId: t.userId,
        version: 0,
        firstName: 'New',
        lastName: 'Name',
        email: `new-${t.userId}@example.test`,
        phone: '',
        roleId: 'U',
        npi: '',
        selfPayFee: '',
        notificationType: 1,
        notifyForUsers: [],
        disabled: false,
      },
    }),
  },
  deleteUser: {
    reaches: 'company',
    done: 204,
    user: true,
    changes: true,
    attempt: (t) => ({ params: { userId: t.userId } }),
  },
  inviteUser: {
    reaches: 'company',
    done: 204,
    user: true,
    changes: true,
    attempt: (t) => ({ params: { userId: t.userId } }),
  },
  endUserSignIns: {
    reaches: 'company',
    done: 204,
    user: true,
    changes: true,
    attempt: (t) => ({ params: { userId: t.userId } }),
  },
  resetSecondFactor: {
    reaches: 'company',
    done: 204,
    user: true,
    changes: true,
    attempt: (t) => ({ params: { userId: t.userId } }),
  },
  disconnectUser: {
    reaches: 'company',
    done: 204,
    user: 'external',
    changes: true,
    attempt: (t) => ({ params: { userId: t.userId } }),
  },
  listAuditLog: self(200, { query: list }),
  // Of one patient: the whole log has the rows of every cell before, and would take longer with each call.
  downloadAuditLog: { reaches: 'self', done: 200, attempt: (t) => ({ query: { patientId: t.patientId } }) },
  getAuditState: self(200),
  getCompanySettings: self(200),
  listPatients: self(200, { query: list }),
  getPatient: { reaches: 'company', done: 200, attempt: (t) => ({ params: { patientId: t.patientId } }) },
  savePatient: { reaches: 'company', done: 200, changes: true, attempt: (t) => ({ body: patient(t.patientId) }) },
  deletePatient: {
    reaches: 'company',
    done: 409,
    changes: true,
    attempt: (t) => ({ params: { patientId: t.patientId } }),
  },
  listAppointments: { reaches: 'self', done: 200, attempt: (t) => ({ query: { ...list, patientId: t.patientId } }) },
  downloadAppointments: self(200, { query: { startDate: '2030-01-01' } }),
  getAppointment: {
    reaches: 'company',
    done: 200,
    attempt: (t) => ({ params: { appointmentId: t.appointmentId }, query: {} }),
  },
  saveAppointment: { reaches: 'company', done: 200, changes: true, attempt: (t) => ({ body: appointment(t) }) },
  deleteAppointment: {
    reaches: 'company',
    done: 204,
    changes: true,
    bare: true,
    attempt: (t) => ({ params: { appointmentId: t.appointmentId } }),
  },
  notifyAppointment: {
    reaches: 'company',
    done: 204,
    changes: true,
    attempt: (t) => ({ params: { appointmentId: t.appointmentId } }),
  },
  connectAppointment: {
    reaches: 'company',
    done: 200,
    changes: true,
    attempt: (t) => ({ params: { appointmentId: t.appointmentId } }),
  },
  updateNotes: {
    reaches: 'company',
    done: 200,
    changes: true,
    attempt: (t) => ({ params: { appointmentId: t.appointmentId }, body: { notes: 'Well.', notesVersion: 0 } }),
  },
  startInstantAppointment: {
    reaches: 'company',
    done: 200,
    changes: true,
    attempt: (t) => ({ body: { patientId: t.patientId, email: '', phone: '' } }),
  },
  listFiles: {
    reaches: 'visit',
    done: 200,
    parts: true,
    attempt: (t) => ({ params: { appointmentId: t.appointmentId } }),
  },
  uploadFile: {
    reaches: 'company',
    done: 200,
    changes: true,
    attempt: (t) => ({
      params: { appointmentId: t.appointmentId },
      query: { name: 'note.txt' },
      upload: { bytes: Buffer.from('text'), type: 'text/plain' },
    }),
  },
  shareFiles: {
    reaches: 'company',
    done: 204,
    changes: true,
    parts: true,
    attempt: (t) => ({ body: { fileUids: [t.fileUid, dashed(t.fileUid)], shared: true } }),
  },
  downloadFile: {
    reaches: 'visit',
    done: 200,
    parts: true,
    attempt: (t) => ({ params: { fileUid: dashed(t.fileUid) } }),
  },
  deleteFile: {
    reaches: 'company',
    done: 204,
    changes: true,
    parts: true,
    attempt: (t) => ({ params: { fileUid: t.fileUid.toUpperCase() } }),
  },
  listRecordings: {
    reaches: 'company',
    done: 200,
    parts: true,
    attempt: (t) => ({ params: { appointmentId: t.appointmentId } }),
  },
  uploadRecording: {
    reaches: 'company',
    done: 200,
    changes: true,
    parts: true,
    attempt: (t) => ({
      query: {
        appointmentUid: dashed(t.appointmentUid),
        roleId: 'P',
        userId: t.patientId,
        device: recordedDevice,
        serial: 'segment-1',
        started: '2030-01-01T10:00:00.000Z',
        stopped: '2030-01-01T10:00:05.000Z',
      },
      upload: { bytes: Buffer.from('video'), type: 'video/mp4' },
    }),
  },
  playRecording: {
    reaches: 'company',
    done: 200,
    parts: true,
    attempt: (t) => ({ params: { blobUid: t.blobUid.toUpperCase() } }),
  },
  deleteRecording: {
    reaches: 'company',
    done: 204,
    changes: true,
    parts: true,
    attempt: (t) => ({ params: { recordingId: t.recordingId } }),
  },
  deleteRecordings: {
    reaches: 'company',
    done: 204,
    changes: true,
    parts: true,
    attempt: (t) => ({ params: { appointmentId: t.appointmentId } }),
  },
  getRecordingState: { reaches: 'visit', done: 200, attempt: (t) => ({ params: { uid: dashed(t.appointmentUid) } }) },
  // Allowed, but the companies have turned recording off.
  startRecording: { reaches: 'company', done: 409, attempt: (t) => ({ params: { uid: t.appointmentUid } }) },
  stopRecording: {
    reaches: 'company',
    done: 200,
    changes: true,
    attempt: (t) => ({ params: { uid: t.appointmentUid.toUpperCase() } }),
  },
  // Allowed, but the caller is not in the room.
  answerRecording: {
    reaches: 'visit',
    done: 409,
    changes: true,
    attempt: (t) => ({ params: { uid: t.appointmentUid }, body: { runId: 1, streamId: '', allowed: true } }),
  },
  // A patient's device adds a picture only while both sides are in the room.
  uploadPhoto: {
    reaches: 'visit',
    done: 200,
    doneByPatient: 409,
    changes: true,
    attempt: (t) => ({
      query: { session: dashed(t.appointmentUid), key: `key-${t.appointmentUid}` },
      upload: { bytes: jpeg, type: 'image/jpeg' },
    }),
  },
  listPhotos: { reaches: 'company', done: 200, parts: true, attempt: (t) => ({ params: { patientId: t.patientId } }) },
  getPhoto: {
    reaches: 'company',
    done: 200,
    parts: true,
    attempt: (t) => ({ params: { fileUid: dashed(t.photoUid) } }),
  },
  downloadPhoto: {
    reaches: 'company',
    done: 200,
    parts: true,
    attempt: (t) => ({ params: { fileUid: t.photoUid.toUpperCase() } }),
  },
  deletePhoto: {
    reaches: 'company',
    done: 204,
    changes: true,
    parts: true,
    attempt: (t) => ({ params: { fileUid: dashed(t.photoUid) } }),
  },
  getArrivedCount: self(200),
  listArrived: self(200),
  announceDelay: self(200, { body: { minutes: 10, doctorId: null } }),
  // No patient waits in the targets' rooms.
  holdPatient: {
    reaches: 'company',
    done: 409,
    attempt: (t) => ({ params: { uid: dashed(t.appointmentUid) }, body: { held: true } }),
  },
  handOverPatient: {
    reaches: 'company',
    done: 409,
    attempt: (t) => ({ params: { uid: t.appointmentUid.toUpperCase() }, body: { doctorId: t.doctorId } }),
  },
  writeToPatient: {
    reaches: 'company',
    done: 409,
    attempt: (t) => ({ params: { uid: t.appointmentUid }, body: { payload: 'Just a moment.', key: 'a-key-of-ours' } }),
  },
  saveDeviceCheck: {
    reaches: 'visit',
    done: 204,
    attempt: (t) => ({
      params: { uid: dashed(t.appointmentUid) },
      body: { camera: 'works', microphone: 'works', speaker: 'unknown', connection: 'good' },
    }),
  },
  getTeleappointment: { reaches: 'visit', done: 200, attempt: (t) => ({ params: { uid: dashed(t.appointmentUid) } }) },
  listMessages: { reaches: 'visit', done: 200, attempt: (t) => ({ params: { uid: t.appointmentUid.toUpperCase() } }) },
  getVisitCalendar: { reaches: 'visit', done: 200, attempt: (t) => ({ params: { uid: t.appointmentUid } }) },
  saveVisitQuality: {
    reaches: 'visit',
    done: 204,
    changes: true,
    attempt: (t) => ({ params: { uid: t.appointmentUid }, body: visitQuality }),
  },
  getVisitQuality: { reaches: 'company', done: 200, attempt: (t) => ({ params: { uid: dashed(t.appointmentUid) } }) },
  listMyAppointments: self(200),
  listGuests: {
    reaches: 'company',
    done: 200,
    parts: true,
    attempt: (t) => ({ params: { uid: dashed(t.appointmentUid) } }),
  },
  inviteGuest: {
    reaches: 'company',
    done: 200,
    changes: true,
    attempt: (t) => ({ params: { uid: t.appointmentUid }, body: { name: 'Maria Lopez', role: 'interpreter' } }),
  },
  sendGuestLink: {
    reaches: 'company',
    done: 204,
    changes: true,
    parts: true,
    attempt: (t) => ({ params: { uid: t.appointmentUid.toUpperCase(), guestId: t.guestId } }),
  },
  removeGuest: {
    reaches: 'company',
    done: 204,
    changes: true,
    parts: true,
    attempt: (t) => ({ params: { uid: dashed(t.appointmentUid), guestId: t.guestId } }),
  },
  getGuestVisit: self(200),
  listPaymentProcessors: self(200),
  // Nothing is owed for the targets.
  getPayment: { reaches: 'visit', done: 200, attempt: (t) => ({ params: { uid: t.appointmentUid } }) },
  checkPromo: {
    reaches: 'visit',
    done: 422,
    attempt: (t) => ({ params: { uid: t.appointmentUid }, body: { code: 'UNKNOWN' } }),
  },
  patientPay: {
    reaches: 'visit',
    done: 200,
    attempt: (t) => ({ params: { uid: t.appointmentUid }, body: { token: null, promoCode: null, amount: '0.00' } }),
  },
  settlePayment: {
    reaches: 'visit',
    done: 200,
    attempt: (t) => ({ params: { uid: t.appointmentUid }, body: { endedCharges: 0 } }),
  },
  getReceipt: { reaches: 'visit', done: 200, attempt: (t) => ({ params: { uid: t.appointmentUid } }) },
  refundAppointment: {
    reaches: 'company',
    done: 409,
    attempt: (t) => ({ params: { appointmentId: t.appointmentId }, body: { reason: 'Paid twice' } }),
  },
  getLicense: { reaches: 'company', done: 200, attempt: (t) => ({ params: { companyId: t.companyId } }) },
  calculateLicense: { reaches: 'company', done: 200, attempt: (t) => ({ body: licenseOrder(t) }) },
  // Another amount than is due: the call was allowed, and nothing is bought.
  accountPay: {
    reaches: 'company',
    done: 409,
    attempt: (t) => ({
      body: { ...licenseOrder(t), card: null, backup: null, amount: '1.00', expirationDate: '2100-12-31' },
    }),
  },
  settleLicense: {
    reaches: 'company',
    done: 200,
    attempt: (t) => ({ params: { companyId: t.companyId }, body: { endedCharges: 0 } }),
  },
  getPaymentCards: { reaches: 'company', done: 200, attempt: (t) => ({ params: { companyId: t.companyId } }) },
  // A token that the processor does not know.
  updatePaymentCard: {
    reaches: 'company',
    done: 402,
    attempt: (t) => ({ params: { companyId: t.companyId }, body: { position: 'backup', token: 'unknown_token' } }),
  },
  // The only card.
  deletePaymentCard: {
    reaches: 'company',
    done: 409,
    attempt: (t) => ({ params: { companyId: t.companyId, cardId: t.cardId } }),
  },
  saveRenewal: {
    reaches: 'company',
    done: 204,
    attempt: (t) => ({ params: { companyId: t.companyId }, body: { autoRenew: false } }),
  },
  listInvoices: { reaches: 'company', done: 200, attempt: (t) => ({ params: { companyId: t.companyId } }) },
  getInvoice: { reaches: 'company', done: 200, attempt: (t) => ({ params: { number: t.invoiceNumber } }) },
  listLedger: { reaches: 'self', done: 200, attempt: () => ({ query: { ...list, ...today() } }) },
  getLedgerTotals: { reaches: 'self', done: 200, attempt: () => ({ query: today() }) },
  downloadLedger: { reaches: 'self', done: 200, attempt: () => ({ query: today() }) },
  listOpenBalances: self(200, { query: { ...list, from: '2030-01-01', to: '2030-01-31' } }),
  listPromos: self(200, { query: list }),
  getPromo: {
    reaches: 'company',
    done: 200,
    parts: true,
    notSuper: true,
    attempt: (t) => ({ params: { patientPromoId: t.promoId } }),
  },
  savePromo: {
    reaches: 'company',
    done: 200,
    parts: true,
    changes: true,
    notSuper: true,
    attempt: (t) => ({
      body: {
        patientPromoId: t.promoId,
        version: 0,
        code: `Code ${t.promoId}`,
        discountRate: 10,
        expirationDate: null,
        maxUses: null,
        disabled: false,
      },
    }),
  },
  deletePromo: {
    reaches: 'company',
    done: 204,
    parts: true,
    changes: true,
    notSuper: true,
    attempt: (t) => ({ params: { patientPromoId: t.promoId } }),
  },
  getCompany: { reaches: 'company', done: 200, attempt: (t) => ({ params: { companyId: t.companyId } }) },
  saveCompany: { reaches: 'company', done: 409, attempt: (t) => ({ body: company(t) }) },
  erasePatient: {
    reaches: 'company',
    done: 409,
    changes: true,
    attempt: (t) => ({ params: { patientId: t.patientId }, body: { currentPassword: password, reason: 'asked' } }),
  },
  listPatientMatches: {
    reaches: 'company',
    done: 200,
    unverified: true,
    attempt: (t) => ({ params: { patientId: t.patientId } }),
  },
  deleteCompany: {
    reaches: 'company',
    done: 409,
    attempt: (t) => ({ params: { companyId: t.companyId } }),
  },
  mergePatient: {
    reaches: 'company',
    done: 409,
    changes: true,
    attempt: (t) => ({ params: { patientId: t.patientId }, body: { intoId: 0 } }),
  },
  getScheduleSettings: self(200),
  listSchedule: { reaches: 'self', done: 200, attempt: () => ({ query: range() }) },
  listSlots: {
    reaches: 'company',
    done: 200,
    attempt: (t) => ({ query: { doctorId: t.doctorId, date: '2030-01-01', appointmentId: t.appointmentId } }),
  },
  moveAppointment: {
    reaches: 'company',
    done: 200,
    changes: true,
    attempt: (t) => ({
      params: { appointmentId: t.appointmentId },
      body: { startDate: '2031-02-01T10:00:00.000Z', doctorId: t.doctorId, version: 0, overbook: true },
    }),
  },
  listRules: self(200, { query: list }),
  getRule: { reaches: 'company', done: 200, parts: true, attempt: (t) => ({ params: { ruleId: t.ruleId } }) },
  saveRule: {
    reaches: 'company',
    done: 200,
    changes: true,
    parts: true,
    ruled: true,
    ownOnly: true,
    attempt: (t) => ({ body: rule(t) }),
  },
  deleteRule: {
    reaches: 'company',
    done: 200,
    changes: true,
    parts: true,
    ruled: true,
    ownOnly: true,
    attempt: (t) => ({ params: { ruleId: t.ruleId } }),
  },
  listTimeOff: self(200, { query: {} }),
  listTimeOffAppointments: {
    reaches: 'company',
    done: 200,
    parts: true,
    attempt: (t) => ({ params: { timeOffId: t.timeOffId } }),
  },
  saveTimeOff: {
    reaches: 'company',
    done: 200,
    changes: true,
    parts: true,
    ownOnly: true,
    attempt: (t) => ({
      body: {
        timeOffId: t.timeOffId,
        version: 0,
        userId: t.doctorId,
        firstDay: '2030-01-01',
        lastDay: '2030-01-03',
        reason: 'Away',
      },
    }),
  },
  deleteTimeOff: {
    reaches: 'company',
    done: 204,
    changes: true,
    parts: true,
    ownOnly: true,
    attempt: (t) => ({ params: { timeOffId: t.timeOffId } }),
  },
  getProviderCalendar: {
    reaches: 'company',
    done: 200,
    ownOnly: true,
    attempt: (t) => ({ params: { userId: t.doctorId } }),
  },
  createProviderFeed: {
    reaches: 'company',
    done: 200,
    ownOnly: true,
    attempt: (t) => ({ params: { userId: t.doctorId }, body: { showsInitials: true } }),
  },
  changeProviderFeed: {
    reaches: 'company',
    done: 204,
    ownOnly: true,
    attempt: (t) => ({ params: { userId: t.doctorId }, body: { showsInitials: true } }),
  },
  removeProviderFeed: {
    reaches: 'company',
    done: 204,
    ownOnly: true,
    attempt: (t) => ({ params: { userId: t.doctorId } }),
  },
  // The address is read by those who are allowed only, and is none.
  saveExternalCalendar: {
    reaches: 'company',
    done: 422,
    ownOnly: true,
    attempt: (t) => ({ params: { userId: t.doctorId }, body: { address: 'file:///etc/hosts' } }),
  },
  removeExternalCalendar: {
    reaches: 'company',
    done: 204,
    ownOnly: true,
    attempt: (t) => ({ params: { userId: t.doctorId } }),
  },
  getClinicFeed: self(200),
  createClinicFeed: self(200, { body: { showsInitials: true } }),
  changeClinicFeed: self(204, { body: { showsInitials: true } }),
  removeClinicFeed: self(204),
  listBookingRequests: self(200),
  closeBookingRequest: {
    reaches: 'company',
    done: 204,
    changes: true,
    parts: true,
    attempt: (t) => ({ params: { requestId: t.requestId } }),
  },
  listUpcomingAppointments: self(200),
  listMySlots: {
    reaches: 'visit',
    done: 200,
    attempt: (t) => ({ params: { uid: dashed(t.appointmentUid) }, query: { from: range().from, to: range().from } }),
  },
  // Allowed, but the date is later than patients may move to.
  moveMyAppointment: {
    reaches: 'visit',
    done: 409,
    changes: true,
    attempt: (t) => ({
      params: { uid: t.appointmentUid },
      body: { startDate: '2040-01-01T10:00:00.000Z', version: 0 },
    }),
  },
  cancelMyAppointment: {
    reaches: 'visit',
    done: 204,
    changes: true,
    attempt: (t) => ({ params: { uid: t.appointmentUid.toUpperCase() }, body: { version: 0 } }),
  },
};

/** Inputs by call that are refused with 409 and whose refusal shows a patient. */
export const conflicts: Record<string, (target: Target, rival: Target) => Attempt> = {
  updateNotes: (t) => ({ params: { appointmentId: t.appointmentId }, body: { notes: 'Other.', notesVersion: 999 } }),
  saveAppointment: (t, rival) => ({ body: { ...appointment(t), startDate: rival.startDate, overbook: false } }),
  moveAppointment: (t, rival) => ({
    params: { appointmentId: t.appointmentId },
    body: { startDate: rival.startDate, doctorId: t.doctorId, version: 0, overbook: false },
  }),
};

/** Some rows send uids with dashes and in capitals. */
const dashed = (uid: string) => uid.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/** Returns whether a call needs a sign-in. Others are tested in auth.test.ts. */
export const needsRow = (call: Call): boolean => call.who !== 'anyone';
