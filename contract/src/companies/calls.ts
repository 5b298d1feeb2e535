import * as z from 'zod/mini';
import { call } from '../call.ts';
import {
  hourBounds,
  limits,
  maxFee,
  maxNoticeHours,
  maxNudgeMinutes,
  maxProviders,
  maxVisitLimit,
  remindBounds,
  slotMinutes,
} from '../limits.ts';
import { isAmount, toCents } from '../money.ts';
import { refundRules } from '../payments/calls.ts';
import { processorName } from '../payments/processors.ts';
import { staff } from '../permissions.ts';
import { emailPattern, id, idOrZero, isVisibleLine, listQuery, listResult, version } from '../shape.ts';
import { fieldTexts } from '../texts.ts';
import { isTimeZone } from '../time.ts';

/** The settings of the caller's company that staff screens use (ENTITY-15, defaults of new appointments). Minutes and hours. */
export const getCompanySettings = call({
  name: 'getCompanySettings',
  summary: 'The settings of the caller’s company.',
  method: 'GET',
  path: '/api/company/settings',
  who: staff,
  result: z.object({
    companyName: z.string(),
    timeZone: z.string(),
    currency: z.string(),
    startHour: z.int(),
    endHour: z.int(),
    slot: z.int(),
    duration: z.int(),
    selfPayFee: z.string(),
    /** With which links in messages begin (frontEndUrl, else PUBLIC_URL), without a trailing slash. */
    frontEndUrl: z.string(),
  }),
});

/** VALID-20: the errors of a company's fields are 'Required' and 'Invalid'. */
const { required, invalid } = fieldTexts;
const whole = (min: number, max: number) => z.int({ error: required }).check(z.gte(min, invalid), z.lte(max, invalid));
const hour = whole(hourBounds.min, hourBounds.max);
const minutes = z.union(
  slotMinutes.map((value) => z.literal(value)),
  { error: invalid },
);
const amount = z.string().check(
  z.regex(/\S/, required),
  z.regex(/^(\d{1,8}(\.\d{1,2})?|\s*)$/, invalid),
  z.refine((fee) => !isAmount(fee) || toCents(fee) <= maxFee * 100, { error: invalid }),
);

const emailOrBlank = new RegExp(`^$|${emailPattern.source}`, emailPattern.flags);
const dateOrBlank = new RegExp(`^$|${z.regexes.date.source}`);

/** What administrators set for their own company (COMPANY-5, VALID-12 to VALID-17); minutes, hours, decimal amounts. */
const ownFields = {
  companyName: z
    .string()
    .check(z.regex(/\S/, required), z.maxLength(limits.name, invalid), z.refine(isVisibleLine, { error: invalid })),
  timeZone: z.string().check(
    z.regex(/\S/, required),
    z.refine((zone) => zone.trim() === '' || isTimeZone(zone), { error: invalid }),
  ),
  remindBeforeMin: whole(remindBounds.min, remindBounds.max),
  startHour: hour,
  endHour: hour,
  slot: minutes,
  duration: minutes,
  /** Minutes after which a room's timer turns red; 0 = never. */
  limit: whole(0, maxVisitLimit),
  selfPayFee: amount,
  /** Minutes that a patient waits without a provider before users are notified; 0 = never. */
  notifyUsersMin: whole(0, maxNudgeMinutes),
  noticeHours: whole(0, maxNoticeHours),
  /** Patients can book by link. */
  genericSchedule: z.boolean(),
  /** Each booking by link must be confirmed by a code sent to the patient's contact. */
  confirmBookings: z.boolean(),
  allowRecording: z.boolean(),
  /** 1 = providers are notified of their own patients' arrivals by mail or text. */
  notifyProviders: z.union([z.literal(0), z.literal(1)]),
};

/** What a save may leave out: it stays as it is. */
const optionalFields = {
  /** The first day on which users need a second factor, in the company's zone; '' = they do not. */
  secondFactorFrom: z.string().check(z.regex(dateOrBlank, invalid)),
  /** ENTITY-6; null = patients do not pay by card. */
  paymentProcessor: z.nullable(processorName),
  /** VALID-19: the public key at the processor. */
  pmtUser: z.string().check(z.maxLength(limits.processorKey, invalid), z.regex(/^\s*[!-~]*\s*$/, invalid)),
  /** What a patient gets who cancels a paid appointment in time. */
  refundRule: z.enum(refundRules),
};

/** VALID-19: the secret key at the processor. It is sealed and never sent back. */
const pmtPassword = z.string().check(z.maxLength(limits.processorKey, invalid), z.regex(/^\s*[!-~]*\s*$/, invalid));

/** ROLE-6: fields that only a Super may save; an administrator who sends one of them is refused. */
const superFields = {
  providerCount: whole(0, maxProviders),
  expirationDate: z
    .string()
    .check(z.regex(/\S/, required), z.regex(/^($|(19|20|21)\d\d-)/, invalid), z.regex(dateOrBlank, invalid)),
  supportEmail: z.string().check(z.maxLength(limits.email, invalid), z.regex(emailOrBlank, invalid)),
  /** VALID-18: any ten digits, as assigned by the gateway. */
  smsPhone: z.string().check(z.regex(/^(\d{10})?$/, invalid)),
  /** Patients can request a time when none fits. */
  allowReq: z.boolean(),
  frontEndUrl: z
    .string()
    .check(
      z.regex(/\S/, required),
      z.maxLength(limits.frontEndUrl, invalid),
      z.regex(/^(\s*|https?:\/\/[^\s?#]+)$/, invalid),
    ),
  disabled: z.boolean(),
};

/** CALL-20. `companyId` 0 = the caller's own company; administrators can access no other. */
export const getCompany = call({
  name: 'getCompany',
  summary: 'A company with its settings.',
  method: 'GET',
  path: '/api/companies/:companyId',
  who: ['A', 'Super'],
  unlicensed: 'yes',
  params: z.object({ companyId: idOrZero }),
  result: z.object({
    companyId: z.int(),
    companyUid: z.string(),
    version: z.int(),
    created: z.string(),
    currency: z.string(),
    ...ownFields,
    ...optionalFields,
    ...superFields,
    frontEndUrl: z.string(),
    /** A secret key is stored. */
    hasPmtPassword: z.boolean(),
  }),
});

const companyFields = z.object({
  companyId: idOrZero,
  version,
  ...ownFields,
  ...z.partial(z.object({ ...optionalFields, ...superFields })).shape,
  /** Left out or '': the stored secret is kept, as long as processor and public key are kept. */
  pmtPassword: z.optional(pmtPassword),
});
export const companyBody = companyFields.check(
  z.refine((company) => company.endHour > company.startHour, { error: invalid, path: ['endHour'] }),
);
export type CompanyBody = z.infer<typeof companyBody>;

/** `companyId` 0: an administrator's own company; for a Super a new one, with all fields. */
export const saveCompany = call({
  name: 'saveCompany',
  summary: 'Saves the settings of a company, or creates one.',
  method: 'PUT',
  path: '/api/companies',
  who: ['A', 'Super'],
  creates: true,
  body: companyBody,
  result: z.object({ companyId: z.int(), version: z.int() }),
  refusals: ['stale', 'wrong-processor-keys', 'processor-silent', 'payments-unsettled', 'key-reused'],
});

export const companyColumns = ['companyName', 'created', 'providerCount', 'expirationDate'] as const;

/** A row of the company list (COMPANY-2). `status` as of today in the company's zone (STATE-23). */
const companyRow = z.object({
  companyId: z.int(),
  companyName: z.string(),
  created: z.string(),
  /** Of the addresses of its pages, e.g. 'visits.example.com'. */
  host: z.string(),
  providerCount: z.int(),
  expirationDate: z.string(),
  status: z.enum(['Disabled', 'Expired', 'Healthy']),
});
export type CompanyRow = z.infer<typeof companyRow>;

/** CALL-20. `filter` matches the name. */
export const listCompanies = call({
  name: 'listCompanies',
  summary: 'The companies of the installation.',
  method: 'GET',
  path: '/api/companies',
  who: ['Super'],
  query: z.object(listQuery(companyColumns)),
  result: listResult(companyRow),
});

/** A company with patients or other records is not deleted: `company-has-records`. */
export const deleteCompany = call({
  name: 'deleteCompany',
  summary: 'Deletes a company without records, with its users.',
  method: 'DELETE',
  path: '/api/companies/:companyId',
  who: ['Super'],
  params: z.object({ companyId: id }),
  refusals: ['company-has-records'],
});
