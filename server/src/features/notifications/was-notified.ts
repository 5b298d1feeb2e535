import { sql } from 'kysely';

/** Whether the patient has, or is about to get, a message about the appointment: somebody expects it. */
export const wasNotified = (appointmentId: number) => sql<boolean>`exists (select 1 from notification_logs n
  where n.appointment_id = ${appointmentId} and n.patient_id is not null and n.state in ('sent', 'queued'))`;
