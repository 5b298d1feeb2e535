import type { ResultOf, Schema } from '@roomside/contract/call.ts';
import { type CompanyBody, companyBody, type getCompany } from '@roomside/contract/companies/calls.ts';
import { fromCents, isAmount, toCents } from '@roomside/contract/money.ts';
import type { ProcessorName } from '@roomside/contract/payments/processors.ts';
import * as z from 'zod/mini';
import { addDays, ownZone } from '../../time/time.ts';

type Company = ResultOf<typeof getCompany>;

/** The typed values: numbers are digits, and 0 or 1 is a switch. */
export type CompanyValues = Omit<
  CompanyBody,
  | 'remindBeforeMin'
  | 'limit'
  | 'notifyUsersMin'
  | 'noticeHours'
  | 'providerCount'
  | 'notifyProviders'
  | 'secondFactorFrom'
  | 'paymentProcessor'
  | 'pmtUser'
  | 'pmtPassword'
> & {
  /** '' = none. */
  paymentProcessor: ProcessorName | '';
  pmtUser: string;
  /** '' = the stored one. */
  pmtPassword: string;
  remindBeforeMin: string;
  limit: string;
  notifyUsersMin: string;
  noticeHours: string;
  providerCount: string;
  notifyProviders: boolean;
  requireFactor: boolean;
  secondFactorFrom: string;
};

const number = (text: string) => (/^\d{1,4}$/.test(text.trim()) ? Number(text) : Number.NaN);

/** The call's body; the Super's fields only when a Super edits (ROLE-6). */
export function toBody(values: CompanyValues, isSuper: boolean): CompanyBody {
  const {
    providerCount,
    expirationDate,
    supportEmail,
    smsPhone,
    allowReq,
    frontEndUrl,
    disabled,
    requireFactor,
    ...own
  } = values;
  const superFields = {
    providerCount: number(providerCount),
    expirationDate,
    supportEmail,
    smsPhone,
    allowReq,
    frontEndUrl,
    disabled,
  };
  return {
    ...own,
    remindBeforeMin: number(values.remindBeforeMin),
    limit: number(values.limit),
    notifyUsersMin: number(values.notifyUsersMin),
    noticeHours: number(values.noticeHours),
    notifyProviders: values.notifyProviders ? 1 : 0,
    secondFactorFrom: requireFactor ? values.secondFactorFrom : '',
    paymentProcessor: values.paymentProcessor || null,
    pmtUser: values.paymentProcessor ? values.pmtUser : '',
    pmtPassword: values.paymentProcessor ? values.pmtPassword : '',
    ...(isSuper && superFields),
  };
}

/** The values as they are stored: hidden fields are empty, an amount has two places, and an address does not end with a slash. */
export function asStored(values: CompanyValues): CompanyValues {
  const isPaid = values.paymentProcessor !== '';
  return {
    ...values,
    selfPayFee: isAmount(values.selfPayFee) ? fromCents(toCents(values.selfPayFee)) : values.selfPayFee,
    ...(values.frontEndUrl !== undefined && { frontEndUrl: values.frontEndUrl.replace(/\/+$/, '') }),
    secondFactorFrom: values.requireFactor ? values.secondFactorFrom : '',
    pmtUser: isPaid ? values.pmtUser : '',
    pmtPassword: isPaid ? values.pmtPassword : '',
  };
}

export function toForm(company: Company): CompanyValues {
  const { companyUid: _uid, created: _created, currency: _currency, hasPmtPassword: _has, ...values } = company;
  return {
    ...values,
    remindBeforeMin: String(company.remindBeforeMin),
    limit: String(company.limit),
    notifyUsersMin: String(company.notifyUsersMin),
    noticeHours: String(company.noticeHours),
    providerCount: String(company.providerCount),
    notifyProviders: company.notifyProviders === 1,
    requireFactor: company.secondFactorFrom !== '',
    paymentProcessor: company.paymentProcessor ?? '',
    pmtPassword: '',
  };
}

/** A new company with the defaults of CONST-10. `today`: YYYY-MM-DD. */
export function blankCompany(today: string): Company {
  return {
    companyId: 0,
    companyUid: '',
    version: 0,
    created: '',
    currency: 'USD',
    companyName: '',
    timeZone: ownZone(),
    remindBeforeMin: 30,
    startHour: 8,
    endHour: 17,
    slot: 15,
    duration: 15,
    limit: 0,
    selfPayFee: '0.00',
    notifyUsersMin: 0,
    noticeHours: 24,
    genericSchedule: false,
    confirmBookings: false,
    allowRecording: false,
    notifyProviders: 1,
    secondFactorFrom: '',
    paymentProcessor: null,
    pmtUser: '',
    hasPmtPassword: false,
    refundRule: 'manual',
    providerCount: 1,
    expirationDate: addDays(today, 30),
    supportEmail: '',
    smsPhone: '',
    allowReq: false,
    frontEndUrl: location.origin,
    disabled: false,
  };
}

/** The contract's rules for the typed values. */
export const companyForm = (isSuper: boolean) =>
  z.pipe(
    // A required second factor needs its day: an empty one means that it is not required.
    z.transform((typed: CompanyValues) => ({
      ...toBody(typed, isSuper),
      ...(typed.requireFactor && { secondFactorFrom: typed.secondFactorFrom || '?' }),
    })),
    companyBody,
  ) as unknown as Schema<CompanyValues>;
