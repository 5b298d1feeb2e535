import * as z from 'zod/mini';

/** An upcoming appointment outside its provider's windows, or within time off. Instants are ISO 8601. */
export const outsideAppointment = z.object({
  appointmentId: z.int(),
  patientId: z.int(),
  patient: z.object({ firstName: z.string(), lastName: z.string() }),
  doctorId: z.int(),
  doctor: z.object({ firstName: z.string(), lastName: z.string() }),
  startDate: z.string(),
  endDate: z.string(),
});
export type OutsideAppointment = z.infer<typeof outsideAppointment>;
