import * as z from 'zod/mini';

/** A booked visit that lies outside of its provider's times, or within time off; instants ISO. */
export const outsideVisit = z.object({
  appointmentId: z.int(),
  patientId: z.int(),
  patient: z.object({ firstName: z.string(), lastName: z.string() }),
  doctorId: z.int(),
  doctor: z.object({ firstName: z.string(), lastName: z.string() }),
  startDate: z.string(),
  endDate: z.string(),
});
export type OutsideVisit = z.infer<typeof outsideVisit>;
