import { cancelMyAppointment } from './cancel-my-appointment.ts';
import { listMyAppointments } from './list-my-appointments.ts';
import { listMySlots } from './list-my-slots.ts';
import { listUpcomingAppointments } from './list-upcoming-appointments.ts';
import { moveMyAppointment } from './move-my-appointment.ts';

export const myAppointmentCalls = [
  listMyAppointments,
  listUpcomingAppointments,
  listMySlots,
  moveMyAppointment,
  cancelMyAppointment,
];
