import * as z from 'zod/mini';
import { call } from '../call.ts';
import { staff } from '../permissions.ts';

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
