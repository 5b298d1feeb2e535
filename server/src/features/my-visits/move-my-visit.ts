import { moveMyVisit as call } from '@roomside/contract/my-visits/calls.ts';
import { forPatient } from '../../platform/http/handler.ts';
import { moveTo } from '../appointments/move-to.ts';
import { type Claim, slotTaken } from '../appointments/provider-time.ts';
import { isOffered } from '../booking/is-offered.ts';
import { bookableDays } from '../booking/open-booking.ts';
import { lockOwnVisit } from './own-visit.ts';

/** Moves one of the patient's visits to a start that is on offer, within the clinic's notice period. */
export const moveMyVisit = forPatient(
  call,
  async ({ context, caller, params, body, tx, now, touched, afterCommit }) => {
    const { companyId, timeZone } = caller;
    const visit = await lockOwnVisit(tx, caller, params.uid, body.version, now);
    touched('appointmentId', visit.appointment_id);
    const startsAt = new Date(body.startDate).toISOString();
    const length = Date.parse(visit.ends_at) - Date.parse(visit.starts_at);
    const own = { appointmentId: visit.appointment_id };
    const endsAt = new Date(Date.parse(startsAt) + length).toISOString();
    const claim: Claim = { companyId, timeZone, doctorId: visit.doctor_id, startsAt, endsAt, own, now };
    if (!(await isOffered(tx, claim, bookableDays(now, timeZone)))) throw slotTaken(claim, null);
    const by = { companyId, timeZone, userId: null, own };
    const { notice: _, ...moved } = await moveTo(tx, context, by, visit, { startsAt, doctorId: visit.doctor_id }, now);
    afterCommit(() => context.push.schedule(companyId));
    return moved;
  },
);
