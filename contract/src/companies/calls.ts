import * as z from 'zod/mini';
import { call } from '../call.ts';
import {
  feeMost,
  hourBounds,
  limits,
  noticeHoursMost,
  nudgeMost,
  providersMost,
  remindBounds,
  slotMinutes,
  visitLimitMost,
} from '../limits.ts';
import { staff } from '../permissions.ts';
import { date, email, idOrZero, money, phone, requiredLine, version } from '../shape.ts';
import { fieldTexts } from '../texts.ts';
import { isTimeZone } from '../time.ts';

/** What staff screens need of their own company (ENTITY-15 and the defaults of new appointments). Minutes and hours. */
export const getCompanySettings = call({
  name: 'getCompanySettings',
  summary: 'The settings of one’s own company that screens work with.',
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
    /** The patient's link begins with this (frontEndUrl, else PUBLIC_URL), without a trailing slash. */
    frontEndUrl: z.string(),
  }),
});

const hour = z.int({ error: fieldTexts.required }).check(z.gte(hourBounds.min), z.lte(hourBounds.max));
const minutes = z.union(slotMinutes.map((value) => z.literal(value)));
const whole = (least: number, most: number) =>
  z
    .int({ error: fieldTexts.required })
    .check(z.gte(least, fieldTexts.between(least, most)), z.lte(most, fieldTexts.between(least, most)));

/** What an administrator sets for his own company (COMPANY-5, VALID-12 to VALID-17); minutes, hours, currency texts. */
const ownFields = {
  companyName: requiredLine(limits.name),
  timeZone: z.string().check(z.refine((zone) => isTimeZone(zone), { error: fieldTexts.notValid })),
  remindBeforeMin: whole(remindBounds.min, remindBounds.max),
  startHour: hour,
  endHour: hour,
  slot: minutes,
  duration: minutes,
  /** Minutes after which a room's timer turns red; 0 = none. */
  limit: whole(0, visitLimitMost),
  selfPayFee: money.check(z.refine((fee) => Number(fee) <= feeMost, { error: fieldTexts.between(0, feeMost) })),
  /** A patient who has waited this long without a provider is nudged about; 0 = never. */
  notifyUsersMin: whole(0, nudgeMost),
  noticeHours: whole(0, noticeHoursMost),
  /** Patients may book by link. */
  genericSchedule: z.boolean(),
  /** Each booking by link is confirmed by a code that is sent to the patient's contact. */
  confirmBookings: z.boolean(),
  allowRecording: z.boolean(),
  /** 1 = providers hear of their own arrivals by mail or text. */
  notifyProviders: z.union([z.literal(0), z.literal(1)]),
};

/** ROLE-6: a Super's alone; an administrator who sends one of them is refused. */
const superFields = {
  providerCount: whole(0, providersMost),
  expirationDate: date,
  supportEmail: z.union([z.literal(''), email]),
  smsPhone: z.union([z.literal(''), phone]),
  /** Patients may ask for a time where nothing fits. */
  allowReq: z.boolean(),
  frontEndUrl: z
    .string()
    .check(
      z.regex(/\S/, fieldTexts.required),
      z.maxLength(limits.frontEndUrl),
      z.regex(/^https?:\/\/[^\s?#]+$/, fieldTexts.invalid),
    ),
  disabled: z.boolean(),
};

/** CALL-20; `companyId` 0 = the caller's own company, which is all that an administrator reaches. */
export const getCompany = call({
  name: 'getCompany',
  summary: 'A company with its settings.',
  method: 'GET',
  path: '/api/companies/:companyId',
  who: ['A', 'Super'],
  params: z.object({ companyId: idOrZero }),
  result: z.object({
    companyId: z.int(),
    companyUid: z.string(),
    version: z.int(),
    created: z.string(),
    currency: z.string(),
    ...ownFields,
    ...superFields,
    frontEndUrl: z.string(),
  }),
});

const companyFields = z.object({
  companyId: idOrZero,
  version,
  ...ownFields,
  ...z.partial(z.object(superFields)).shape,
});
export const companyBody = companyFields.check(
  z.refine((company) => company.endHour > company.startHour, { error: fieldTexts.endAfterStart, path: ['endHour'] }),
);
export type CompanyBody = z.infer<typeof companyBody>;

export const saveCompany = call({
  name: 'saveCompany',
  summary: 'Saves the settings of a company.',
  method: 'PUT',
  path: '/api/companies',
  who: ['A', 'Super'],
  body: companyBody,
  result: z.object({ companyId: z.int(), version: z.int() }),
  refusals: ['stale'],
});
