import { type AppointmentOfRow, readAppointmentRow } from '@roomside/contract/csv-import/read-appointment.ts';
import { isoNow } from '../../../platform/clock.ts';
import { createImported } from '../../appointments/change-appointment.ts';
import { definitionOfRow } from '../claimed.ts';
import type { ImportKind } from '../kind.ts';
import { refuseTaken } from '../spans.ts';
import { type AppointmentPlan, type AppointmentRow, planAppointments } from './plan-appointments.ts';
import { archiveAppointments } from './undo-appointments.ts';

export const appointmentKind: ImportKind<AppointmentOfRow, AppointmentPlan> = {
  readRow: readAppointmentRow,
  planRows: planAppointments,
  keysOf,
  foundId: (plan) => (plan.kind === 'keep' ? plan.appointmentId : undefined),
  double: 'same-row',
  refuseTaken: (tx, planned, planning) =>
    refuseTaken(tx, planned, planning, ({ plan }) => {
      if (plan.kind !== 'create' || plan.change.cancelled) return [];
      const { doctorId, startsAt: from, endsAt: to } = plan.change;
      return [{ doctorId, from, to, days: [null, null] }];
    }),
  async write(tx, context, row, planned) {
    const { company_id: companyId, import_id: importId, by_user_id: byUserId } = row;
    const reminds = definitionOfRow(row).sendReminders ?? false;
    const added = planned.flatMap(({ row: { value }, plan }) =>
      plan.kind === 'create' ? [{ ...plan, plan: plan.change, externalId: value?.externalId ?? '' }] : [],
    );
    const scope = { context, tx, now: isoNow(context.clock) };
    return { created: await createImported(scope, { companyId, importId, byUserId, reminds }, added), updated: [] };
  },
  undo: [archiveAppointments],
  audited: {
    write: 'importAppointments',
    undo: 'undoAppointments',
    written: ({ created }) => ({ appointments: created }),
    undone: ({ archived }) => ({ appointments: archived }),
  },
};

/** Two rows with a common key are of one appointment. */
function keysOf({ value }: AppointmentRow, plan: AppointmentPlan): string[][] {
  if (!value || plan.kind === 'refuse') return [];
  if (plan.kind === 'keep') return [['appointment', String(plan.appointmentId)]];
  const { patientId, doctorId, startsAt } = plan.change;
  return [
    ['start', String(patientId), String(doctorId), startsAt],
    ...(value.externalId ? [['external', value.externalId]] : []),
  ];
}
