import { listBookingRequests as call } from '@roomside/contract/booking/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { fromE164 } from '../../platform/phone.ts';

export const listBookingRequests = forStaff(call, async ({ caller, tx, touched }) => {
  const rows = await tx
    .selectFrom('booking_requests as r')
    .innerJoin('patients as p', 'p.patient_id', 'r.patient_id')
    .leftJoin('patient_phones as f', (join) => join.onRef('f.patient_id', '=', 'p.patient_id').on('f.position', '=', 0))
    .leftJoin('users as d', 'd.user_id', 'r.doctor_id')
    .select([
      'r.request_id',
      'r.created_at',
      'r.wish',
      'r.patient_id',
      'p.first_name',
      'p.last_name',
      'p.email',
      'f.phone',
    ])
    .select(['d.user_id', 'd.first_name as doctor_first', 'd.last_name as doctor_last'])
    .where('r.company_id', '=', caller.companyId)
    .where('r.closed_at', 'is', null)
    .orderBy('r.created_at')
    .orderBy('r.request_id')
    .limit(200)
    .execute();
  touched(
    'patients',
    rows.map((row) => row.patient_id),
  );
  return {
    data: rows.map((row) => ({
      requestId: row.request_id,
      created: row.created_at,
      patientId: row.patient_id,
      patient: { firstName: row.first_name, lastName: row.last_name },
      doctor:
        row.user_id === null
          ? null
          : { userId: row.user_id, firstName: row.doctor_first ?? '', lastName: row.doctor_last ?? '' },
      wish: row.wish,
      phone: row.phone ? fromE164(row.phone) : '',
      email: row.email,
    })),
  };
});
