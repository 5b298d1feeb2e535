import * as z from 'zod/mini';
import { call } from '../call.ts';
import { limits } from '../limits.ts';
import { staff } from '../permissions.ts';
import {
  birthDate,
  date,
  email,
  id,
  idOrZero,
  line,
  listQuery,
  listResult,
  phone,
  requiredLine,
  version,
} from '../shape.ts';
import { fieldTexts } from '../texts.ts';

export const patientColumns = [
  'firstName',
  'lastName',
  'doB',
  'created',
  'lastAppointment',
  'nextAppointment',
] as const;

/** A row of the patient list (PATIENTS-1, ENTITY-2): `doB` is a date, the others instants or null. */
const patientRow = z.object({
  patientId: z.int(),
  firstName: z.string(),
  lastName: z.string(),
  doB: z.nullable(z.string()),
  created: z.string(),
  lastAppointment: z.nullable(z.string()),
  nextAppointment: z.nullable(z.string()),
});
export type PatientRow = z.infer<typeof patientRow>;

/** CALL-18. `filter` matches the start of names, phone digits, email and external id. */
export const listPatients = call({
  name: 'listPatients',
  summary: 'The patients of the company.',
  method: 'GET',
  path: '/api/patients',
  who: staff,
  query: z.object(listQuery(patientColumns)),
  result: listResult(patientRow),
});

const phoneRow = z.object({ phone });

/** The editable patient (ENTITY-2, VALID-22 to VALID-25). `patientId` 0 = new; `email` and `externalId` '' = none. */
const patientFields = z.object({
  patientId: idOrZero,
  version,
  firstName: requiredLine(limits.name),
  lastName: requiredLine(limits.name),
  doB: birthDate,
  email: z.union([z.literal(''), email]),
  externalId: line(limits.patientExternalId),
  patientPhones: z.array(phoneRow).check(z.maxLength(limits.patientPhones)),
});
export const patientBody = patientFields.check(
  z.refine((p) => p.email.trim() !== '' || p.patientPhones.length > 0, { error: fieldTexts.contact, path: ['email'] }),
);
export type PatientBody = z.infer<typeof patientBody>;

export const getPatient = call({
  name: 'getPatient',
  summary: 'One patient.',
  method: 'GET',
  path: '/api/patients/:patientId',
  who: staff,
  params: z.object({ patientId: id }),
  result: z.object({
    patientId: z.int(),
    version: z.int(),
    firstName: z.string(),
    lastName: z.string(),
    doB: z.nullable(date),
    email: z.string(),
    externalId: z.string(),
    patientPhones: z.array(z.object({ phone: z.string() })),
    created: z.string(),
    /** False for a patient who booked by link and has not been verified. */
    verified: z.boolean(),
  }),
});

export const savePatient = call({
  name: 'savePatient',
  summary: 'Creates a patient (patientId 0) or saves one.',
  method: 'POST',
  path: '/api/patients',
  who: staff,
  body: patientBody,
  result: z.object({ patientId: z.int(), version: z.int() }),
  creates: true,
  refusals: ['stale', 'card-number', 'key-reused'],
});

/** Archives the patient: removed from lists, kept for the audit log. Refused with upcoming appointments, and during a visit. */
export const deletePatient = call({
  name: 'deletePatient',
  summary: 'Archives a patient.',
  method: 'DELETE',
  path: '/api/patients/:patientId',
  who: staff,
  params: z.object({ patientId: id }),
  refusals: ['has-appointments', 'patient-present'],
});

/** Why a patient is erased: no free text, since the audit log keeps it. */
export const erasureReasons = ['asked', 'law', 'mistake'] as const;

export const erasureBody = z.object({
  /** Of a user who has one; others confirm before (confirmIdentity). */
  currentPassword: z.optional(z.string().check(z.regex(/\S/, fieldTexts.required), z.maxLength(limits.passwordMax))),
  reason: z.enum(erasureReasons, { error: fieldTexts.required }),
});

/**
 * Erases a patient's name, contacts, notes, messages, files, photos and recordings, for ever. Appointment times, payments and the audit
 * log stay, under a number. Requires the current password, or a confirmation by a user without one.
 */
export const erasePatient = call({
  name: 'erasePatient',
  summary: 'Erases a patient’s data on request.',
  method: 'POST',
  path: '/api/patients/:patientId/erasure',
  who: ['A'],
  params: z.object({ patientId: id }),
  body: erasureBody,
  refusals: ['has-appointments', 'patient-present', 'wrong-password', 'confirm-identity', 'too-many'],
});

/** For an unverified patient: at most 5 known patients who may be the same person, most likely first. */
export const listPatientMatches = call({
  name: 'listPatientMatches',
  summary: 'Known patients who may be the same person as an unverified patient.',
  method: 'GET',
  path: '/api/patients/:patientId/matches',
  who: staff,
  params: z.object({ patientId: id }),
  result: z.object({
    data: z.array(
      z.object({
        patientId: z.int(),
        firstName: z.string(),
        lastName: z.string(),
        doB: z.nullable(z.string()),
        email: z.string(),
        phone: z.string(),
        /** The fields with equal values. */
        same: z.array(z.enum(['name', 'doB', 'email', 'phone'])),
      }),
    ),
  }),
});

/**
 * Merges an unverified patient into a known one, or with `intoId` 0 marks the patient as verified. A merged patient is archived.
 * The sign-in, code and link of the person who booked become invalid, and the patient is invited again at the contact on file
 * (docs/decisions/012). `takeContact` first saves the booking's email and phone there.
 */
export const mergePatient = call({
  name: 'mergePatient',
  summary: 'Merges a patient who booked by link into a known one.',
  method: 'POST',
  path: '/api/patients/:patientId/merge',
  who: staff,
  params: z.object({ patientId: id }),
  body: z.object({ intoId: idOrZero, takeContact: z.optional(z.boolean()) }),
  /** `linksSent` is false when an upcoming appointment's link could not be sent, because there is no email or phone. */
  result: z.object({ patientId: z.int(), linksSent: z.boolean() }),
  refusals: ['already-known', 'patient-present', 'trial-messages'],
});
