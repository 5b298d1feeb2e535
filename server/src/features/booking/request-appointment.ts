import { requestAppointment as call } from '@roomside/contract/booking/calls.ts';
import { audit } from '../../platform/audit.ts';
import { refuseCardNumbers } from '../../platform/card-numbers.ts';
import { becomePatient } from '../../platform/database/database.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { withIdempotency } from '../../platform/http/idempotency.ts';
import { notFound } from '../../platform/refusal.ts';
import { attemptsOf, throttle } from '../../platform/throttle.ts';
import { bookableProviders, openBooking } from './open-booking.ts';
import { insertUnverifiedPatient, requirePastBirth } from './unverified-patient.ts';

/**
 * Stores a patient's request for a time. A repeat with the same idempotency key is one request.
 *
 * @throws Refusal `not-found` when the company's allowReq is off or the provider cannot be booked
 */
export const requestAppointment = forAnyone(call, async ({ context, params, body, now, address, request }) => {
  const { firstName, lastName, wish } = body;
  refuseCardNumbers({ firstName, lastName, wish });
  await throttle(context, attemptsOf('booking', address));
  await openBooking(context, params.companyUid, now, async (tx, company, afterCommit) => {
    const { allow_req } = await tx
      .selectFrom('companies')
      .select('allow_req')
      .where('company_id', '=', company.companyId)
      .executeTakeFirstOrThrow();
    const bookable = await bookableProviders(tx, company.companyId);
    const isBookable = body.doctorId === 0 || bookable.some(({ userId }) => userId === body.doctorId);
    if (!allow_req || !isBookable) throw notFound();
    requirePastBirth(body.doB, now, company.timeZone);
    // Without a sign-in all callers share one owner; the random key distinguishes them.
    const owner = { companyId: company.companyId, actor: 'anyone' };
    await withIdempotency(tx, { owner, objects: {} }, call, { context, now, request, params, body }, async () => {
      const patientId = await becomePatient(tx);
      await insertUnverifiedPatient(tx, company.companyId, patientId, body, now);
      const { request_id: requestId } = await tx
        .insertInto('booking_requests')
        .values({
          company_id: company.companyId,
          patient_id: patientId,
          doctor_id: body.doctorId || null,
          wish: wish.trim(),
          created_at: now,
        })
        .returning('request_id')
        .executeTakeFirstOrThrow();
      audit(tx, {
        caller: null,
        actor: `P_${patientId}`,
        companyId: company.companyId,
        at: now,
        action: call.name,
        path: call.path,
        objects: { patientId, requestId },
        address,
        requestId: request.id,
      });
    });
    afterCommit(() => context.push.schedule(company.companyId));
  });
  return undefined;
});
