import { prepared } from '../../platform/database/prepared.ts';
import { deliveryTexts } from './texts.ts';

/** The statement that drops the held messages about a new time. */
export const heldDropped = prepared((tx, { appointmentId }: { appointmentId: number }) =>
  tx
    .updateTable('notification_logs')
    .set({ state: 'dropped', error: deliveryTexts.movedAgain, held_until: null })
    .where('appointment_id', '=', appointmentId)
    .where('kind', '=', 'newTime')
    .where('state', '=', 'queued')
    .where('held_until', 'is not', null),
);
