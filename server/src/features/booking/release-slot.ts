import { releaseSlot as call } from '@roomside/contract/booking/calls.ts';
import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { openBooking } from './open-booking.ts';

/** Deletes a hold. Its random uid is the permission; a repeat has no effect. */
export const releaseSlot = forAnyone(call, ({ context, params, now }) =>
  openBooking(context, params.companyUid, now, async (tx, { companyId }) => {
    await tx
      .deleteFrom('holds')
      .where('company_id', '=', companyId)
      .where('hold_uid', '=', normalizeUid(params.holdUid))
      .where('appointment_id', 'is', null)
      .execute();
    return undefined;
  }),
);
