import { checkCsv, getCsvProgress } from '@roomside/contract/csv-import/calls.ts';
import type { Caller } from '@roomside/contract/permissions.ts';
import { vi } from 'vitest';
import {
  type BuiltAppointment,
  buildAppointment,
  buildBookingRequest,
  buildCompany,
  buildPatient,
  buildRule,
  buildTimeOff,
  buildUser,
} from '../../src/demo/builders.ts';
import { createAccessToken } from '../../src/platform/access-token.ts';
import { isoNow } from '../../src/platform/clock.ts';
import type { Context } from '../../src/platform/context.ts';
import { buildFile, buildPhoto } from '../build-file.ts';
import { buildGuest } from '../build-guest.ts';
import { buildLicense } from '../build-license.ts';
import { buildMessage } from '../build-message.ts';
import { buildPromo } from '../build-promo.ts';
import { buildRecording } from '../build-recording.ts';
import { upload } from '../csv-import.ts';
import { type Person, password, type TestApp } from '../test-app.ts';

/** Words in names, notes and messages. None may appear in a response to a caller without access. */
export const canaries = { own: 'Canaryown', same: 'Canarysame', other: 'Canaryother' } as const;

/** The word in a patient's data: names, notes, messages. The others are in data of companies and users. */
export const patientWord = (word: string): string => `${word}patient`;

/** The object of a call: an appointment with its patient and provider. */
export interface Target extends BuiltAppointment {
  /** ISO. */
  startDate: string;
  /** `own`: of the first patient; `same`: of another patient of the company; `other`: of another company. */
  kind: 'own' | 'same' | 'other' | 'absent';
  /** A rule, time off, booking request, shared file, photo, recording, guest and promo code of that provider and patient; 0 and '' when the row does not need them. */
  ruleId: number;
  timeOffId: number;
  requestId: number;
  fileUid: string;
  recordingId: number;
  blobUid: string;
  photoUid: string;
  /** A user of the company without records; 0 when the row does not need one. */
  userId: number;
  guestId: number;
  promoId: number;
  /** A CSV file of the target's company with a wrong row. */
  csvFileId: number;
  /** Of the license of the target's company. */
  cardId: number;
  invoiceNumber: number;
}

/** What a row needs from its targets. */
export interface Need {
  changes: boolean;
  /** The own target is an appointment of the own patient, late enough to be changed. */
  ofPatient: boolean;
  parts: boolean;
  user?: boolean | 'external';
  /** Without notes, since an appointment with notes cannot be deleted. */
  bare?: boolean;
  /** The appointment is inside its rule only. */
  ruled?: boolean;
  /** The patient is not verified and has the phone of others. */
  unverified?: boolean;
}

export interface Principal {
  name: string;
  /** The caller in terms of the contract; undefined = unauthenticated. */
  caller: Caller | undefined;
  /** The role in a valid token of a user who has been disabled. */
  tokenSays?: Caller;
  companySide: 'ours' | 'theirs' | 'none';
  /** For a patient or guest: the patient of the own or the same target, or the guest's visit. */
  patientOf?: 'own' | 'same';
  person: Person;
}

export interface World {
  companyId: number;
  doctorId: number;
  otherCompanyId: number;
  principals: Principal[];
  /** The appointment of the first guest's link. */
  guestVisitId: number;
  /** Creates a target of a kind. */
  buildTarget(kind: Target['kind'], need: Need): Promise<Target>;
}

/** Creates two companies and a principal for each kind of caller. */
export async function buildWorld(app: TestApp): Promise<World> {
  const { context } = app;
  const { companyId } = await buildCompany(context, { companyName: 'Our Clinic' });
  const { companyId: otherCompanyId } = await buildCompany(context, { companyName: `${canaries.other} Clinic` });
  const user = (role: 'A' | 'D' | 'U', company: number | null = companyId, extra: object = {}) =>
    buildUser(context, { companyId: company, role, password, ...extra });
  const [ownDoctor, otherDoctor, admin, staff, foreignAdmin, superUser, disabled] = await Promise.all([
    user('D'),
    user('D'),
    user('A'),
    user('U'),
    user('A', otherCompanyId),
    user('A', null),
    user('A'),
  ]);
  const foreignDoctor = await user('D', otherCompanyId, { lastName: canaries.other });
  const licenses = new Map([
    [companyId, await buildLicense(context, companyId)],
    [otherCompanyId, await buildLicense(context, otherCompanyId)],
  ]);
  const csvFiles = new Map([
    [companyId, await buildCsvFile(app, companyId, canaries.same)],
    [otherCompanyId, await buildCsvFile(app, otherCompanyId, canaries.other)],
  ]);
  const licenseOf = (company: number) => licenses.get(company) ?? { cardId: 0, invoiceNumber: 0 };
  await buildListed(context, { companyId, doctorId: ownDoctor.userId }, canaries.same);
  await buildListed(context, { companyId: otherCompanyId, doctorId: foreignDoctor.userId }, canaries.other);
  let turn = 0;
  let ruledDays = 0;
  const buildTarget = async (kind: Target['kind'], need?: Need, ownPatientId?: number): Promise<Target> => {
    const number = (turn += 1);
    const theirs = kind === 'other';
    const company = theirs ? otherCompanyId : companyId;
    const word = kind === 'absent' ? 'Gone' : canaries[kind];
    const isOwnPatients = kind === 'own' && need?.ofPatient === true && ownPatientId !== undefined;
    const { patientId } = isOwnPatients
      ? { patientId: ownPatientId }
      : await buildPatient(context, {
          companyId: company,
          firstName: word,
          lastName: patientWord(word),
          phones: ['2125551234'],
          verified: !need?.unverified,
        });
    // The afternoon of a day on which no other rule is valid.
    if (need?.ruled) ruledDays += 1;
    const ruledStart = Date.parse('2030-06-01T20:00:00Z') + ruledDays * 86_400_000;
    const start = context.clock.now() + (number + (need?.ofPatient ? 10_000 : 0)) * 3_600_000;
    const startDate = new Date(need?.ruled ? ruledStart : start).toISOString();
    const built = await buildAppointment(context, {
      companyId: company,
      patientId,
      doctorId: theirs ? foreignDoctor.userId : ownDoctor.userId,
      startDate,
      welcomeMessage: word,
      notes: need?.bare ? '' : patientWord(word),
    });
    const { doctorId } = built;
    if (!need?.changes) await buildMessage(context, built, patientWord(word));
    const day = startDate.slice(0, 10);
    const rule = need?.ruled && ({ ruleType: 'S', activeStartDate: day, times: [['13:00', '18:00']] } as const);
    const parts = need?.parts
      ? {
          ruleId: await buildRule(context, { companyId: company, doctorIds: [doctorId], description: word, ...rule }),
          timeOffId: await buildTimeOff(context, {
            companyId: company,
            userId: doctorId,
            firstDay: '2030-01-01',
            lastDay: '2030-01-02',
            reason: word,
          }),
          requestId: await buildBookingRequest(context, { companyId: company, patientId, wish: word }),
          // Shared, so that the patient of the appointment may see it.
          fileUid: await buildFile(context, built, {
            name: word,
            content: Buffer.from(patientWord(word)),
            shared: true,
          }),
          photoUid: await buildPhoto(context, built, Buffer.from(patientWord(word))),
          guestId: (await buildGuest(context, built, { name: word, contact: `${patientWord(word)}@example.test` }))
            .guestId,
          promoId: await buildPromo(context, { companyId: company, code: `${word} ${number}` }),
          ...(await buildRecording(context, built, { content: Buffer.from(patientWord(word)) })),
        }
      : {
          ruleId: 0,
          timeOffId: 0,
          requestId: 0,
          fileUid: '',
          photoUid: '',
          recordingId: 0,
          blobUid: '',
          guestId: 0,
          promoId: 0,
        };
    const values = { ...(theirs && { lastName: canaries.other }), isExternal: need?.user === 'external' };
    const userId = need?.user ? (await user('U', company, values)).userId : 0;
    const ofCompany = { ...licenseOf(company), csvFileId: csvFiles.get(company) ?? 0 };
    if (kind !== 'absent') return { ...built, ...parts, ...ofCompany, userId, startDate, kind };
    // Ids that do not exist.
    return {
      ...built,
      startDate,
      kind,
      companyId: 9_000_000 + number,
      doctorId: 9_000_000 + number,
      userId: 9_000_000 + number,
      patientId: 9_000_000 + number,
      appointmentId: 9_000_000 + number,
      ruleId: 9_000_000 + number,
      timeOffId: 9_000_000 + number,
      requestId: 9_000_000 + number,
      recordingId: 9_000_000 + number,
      guestId: 9_000_000 + number,
      promoId: 9_000_000 + number,
      cardId: 9_000_000 + number,
      invoiceNumber: 9_000_000 + number,
      csvFileId: 9_000_000 + number,
      blobUid: parts.blobUid.replace(/./g, (c) => (c === '0' ? '1' : '0')),
      fileUid: parts.fileUid.replace(/./g, (c) => (c === '0' ? '1' : '0')),
      photoUid: parts.photoUid.replace(/./g, (c) => (c === '0' ? '1' : '0')),
      appointmentUid: built.appointmentUid.replace(/./g, (c) => (c === '0' ? '1' : '0')),
    };
  };

  const signIn = ({ email }: { email: string }) => app.signIn({ email, password });
  const ownVisit = await buildTarget('own');
  const sameVisit = await buildTarget('same');
  const disabledPerson = await signIn(disabled);
  await context.db.open({ kind: 'super' }, (tx) =>
    tx.updateTable('users').set({ disabled: true }).where('user_id', '=', disabled.userId).execute(),
  );
  const expired = app.anonymous();
  expired.token = await createAccessToken(
    { keys: context.keys, clock: { ...context.clock, now: () => context.clock.now() - 3_600_000 } },
    {
      kind: 'staff',
      role: 'A',
      userId: admin.userId,
      companyId,
      signInId: 1,
      serial: 'x',
      firstName: 'A',
      lastName: 'B',
      timeZone: 'UTC',
      currency: 'USD',
      license: 'valid',
      secondFactor: 'settled',
    },
  );
  const wrongType = app.anonymous();
  wrongType.token = [...(await signIn(admin)).cookies.values()][0];

  const principals: Principal[] = [
    { name: 'anonymous', caller: undefined, companySide: 'none', person: app.anonymous() },
    {
      name: 'own patient',
      caller: 'P',
      companySide: 'ours',
      patientOf: 'own',
      person: await app.signInPatient(ownVisit.accessCode),
    },
    {
      name: 'other patient',
      caller: 'P',
      companySide: 'ours',
      patientOf: 'same',
      person: await app.signInPatient(sameVisit.accessCode),
    },
    {
      name: 'guest of the visit',
      caller: 'G',
      companySide: 'ours',
      patientOf: 'own',
      person: await app.signInGuest((await buildGuest(context, ownVisit)).secret),
    },
    {
      name: 'guest of another visit',
      caller: 'G',
      companySide: 'ours',
      patientOf: 'same',
      person: await app.signInGuest((await buildGuest(context, sameVisit)).secret),
    },
    { name: 'U', caller: 'U', companySide: 'ours', person: await signIn(staff) },
    { name: 'own D', caller: 'D', companySide: 'ours', person: await signIn(ownDoctor) },
    { name: 'other D', caller: 'D', companySide: 'ours', person: await signIn(otherDoctor) },
    { name: 'A', caller: 'A', companySide: 'ours', person: await signIn(admin) },
    { name: 'A of another company', caller: 'A', companySide: 'theirs', person: await signIn(foreignAdmin) },
    { name: 'Super', caller: 'Super', companySide: 'none', person: await signIn(superUser) },
    { name: 'disabled user', caller: undefined, tokenSays: 'A', companySide: 'none', person: disabledPerson },
    { name: 'expired token', caller: undefined, companySide: 'none', person: expired },
    { name: 'wrong-type token', caller: undefined, companySide: 'none', person: wrongType },
  ];
  return {
    companyId,
    doctorId: ownDoctor.userId,
    otherCompanyId,
    principals,
    guestVisitId: ownVisit.appointmentId,
    // Patients read the appointment of their code, and change another one of theirs.
    buildTarget: async (kind, need) =>
      kind === 'own' && !need.changes && !need.parts && !need.user && !need.unverified
        ? ownVisit
        : buildTarget(kind, need, ownVisit.patientId),
  };
}

/** Creates an appointment for the lists of staff: its patient is in the room, within time off, and has paid a part. */
async function buildListed(context: Context, of: { companyId: number; doctorId: number }, word: string): Promise<void> {
  const { companyId } = of;
  const now = isoNow(context.clock);
  const patient = { firstName: word, lastName: patientWord(word), phones: ['2125551234'] };
  const { patientId } = await buildPatient(context, { companyId, ...patient });
  const { appointmentId } = await buildAppointment(context, {
    ...of,
    patientId,
    startDate: '2030-01-01T15:00:00Z',
    fee: '50',
    collected: '20',
    visit: { patientPresent: now },
  });
  // Without a peer the visit would end.
  await context.db.open({ kind: 'job', companyId }, async (tx) => {
    const { instance_id } = await tx.selectFrom('instances').select('instance_id').executeTakeFirstOrThrow();
    const ids = { company_id: companyId, appointment_id: appointmentId, patient_id: patientId };
    const peer = { peer_id: `P_${patientId}_phone`, role_id: 'P', connection_id: 'connection', instance_id };
    await tx
      .insertInto('peers')
      .values({ ...ids, ...peer, joined_at: now })
      .execute();
  });
}

/** Uploads and checks a CSV file with a patient whose email is wrong. Returns its id. */
async function buildCsvFile(app: TestApp, companyId: number, word: string): Promise<number> {
  // Of an own administrator, since a user's next upload replaces it.
  const { email } = await buildUser(app.context, { companyId, role: 'A', password });
  const admin = await app.signIn({ email, password });
  const lines = ['First name,Last name,Date of birth,Email', `${word},${word},1980-05-17,${patientWord(word)}`, ''];
  const { definition } = await upload(admin, lines.join('\r\n'));
  const { fileId } = definition;
  await admin.call(checkCsv, { body: definition });
  app.clock.set(app.clock.now());
  const state = async () => (await admin.call(getCsvProgress, { query: { fileId } })).json.import?.state;
  await vi.waitUntil(async () => (await state()) === 'checked', { timeout: 30_000, interval: 20 });
  return fileId;
}
