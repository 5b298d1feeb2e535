import type { GuestRole } from '@roomside/contract/guests/guest.ts';
import type { BuiltAppointment } from '../src/demo/builders.ts';
import { createLinkSecret, hashLink } from '../src/features/guests/guest-rows.ts';
import { newUid } from '../src/platform/access-code.ts';
import { isoNow } from '../src/platform/clock.ts';
import type { Context } from '../src/platform/context.ts';
import { sealedPlaces, sealText } from '../src/platform/sealed-text.ts';

interface GuestValues {
  readonly name?: string;
  readonly role?: GuestRole;
  readonly contact?: string;
}

/** Creates an invitation to a visit, valid for a day. Returns its id and the secret of its link. */
export async function buildGuest(
  context: Context,
  { companyId, appointmentId, patientId }: Pick<BuiltAppointment, 'companyId' | 'appointmentId' | 'patientId'>,
  { name = 'Maria Lopez', role = 'interpreter', contact = '' }: GuestValues = {},
): Promise<{ guestId: number; secret: string }> {
  const { keys } = context;
  const now = isoNow(context.clock);
  const secret = createLinkSecret();
  const guest_uid = newUid();
  return context.db.open({ kind: 'job', companyId }, async (tx) => {
    const of = { companyId, now };
    const visit = await tx
      .selectFrom('appointments as a')
      .innerJoin('companies as c', 'c.company_id', 'a.company_id')
      .innerJoin('users as u', 'u.user_id', 'a.doctor_id')
      .select(['a.starts_at', 'c.time_zone', 'u.user_id'])
      .where('a.appointment_id', '=', appointmentId)
      .executeTakeFirstOrThrow();
    const { guest_id: guestId } = await tx
      .insertInto('visit_guests')
      .values({
        company_id: companyId,
        appointment_id: appointmentId,
        patient_id: patientId,
        guest_uid,
        name,
        role,
        link_hash: hashLink(keys, secret),
        link_cipher: await sealText(tx, keys, of, secret, sealedPlaces.guestLink(guest_uid)),
        contact: await sealText(tx, keys, of, contact, sealedPlaces.guestContact(guest_uid)),
        visit_day: Temporal.Instant.from(visit.starts_at).toZonedDateTimeISO(visit.time_zone).toPlainDate().toString(),
        expires_at: new Date(Math.max(Date.parse(visit.starts_at), Date.parse(now)) + 86_400_000).toISOString(),
        by_user_id: visit.user_id,
        invited_at: now,
      })
      .returning('guest_id')
      .executeTakeFirstOrThrow();
    return { guestId, secret };
  });
}
