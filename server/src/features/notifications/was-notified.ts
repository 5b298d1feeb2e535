import { sql } from 'kysely';

/** Whether a message about the appointment has been sent to the patient or is queued. */
export const wasNotified = (appointmentId: number) => sql<boolean>`exists (select 1 from notification_logs n
  where n.appointment_id = ${appointmentId} and n.patient_id is not null and n.state in ('sent', 'queued'))`;
