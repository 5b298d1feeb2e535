import { getBookingPage as call } from '@roomside/contract/booking/calls.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { bookableProviders, openBooking } from './open-booking.ts';

export const getBookingPage = forAnyone(call, ({ context, params, now }) =>
  openBooking(context, params.companyUid, now, async (tx, { companyId, timeZone, days }) => {
    const company = await tx
      .selectFrom('companies')
      .select(['company_name', 'duration', 'support_email', 'allow_req'])
      .where('company_id', '=', companyId)
      .executeTakeFirstOrThrow();
    return {
      companyName: company.company_name,
      timeZone,
      duration: company.duration,
      supportEmail: company.support_email,
      providers: await bookableProviders(tx, companyId),
      firstDay: days.from,
      lastDay: days.to,
      allowReq: company.allow_req,
      now,
    };
  }),
);
