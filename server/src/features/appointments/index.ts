import { connectAppointment } from './connect-appointment.ts';
import { deleteAppointment } from './delete-appointment.ts';
import { downloadAppointments } from './download-appointments.ts';
import { getAppointment } from './get-appointment.ts';
import { listAppointments } from './list-appointments.ts';
import { moveAppointment } from './move-appointment.ts';
import { notifyAppointment } from './notify-appointment.ts';
import { saveAppointment } from './save-appointment.ts';
import { startInstantAppointment } from './start-instant-appointment.ts';
import { updateNotes } from './update-notes.ts';

export const appointmentCalls = [
  listAppointments,
  downloadAppointments,
  getAppointment,
  saveAppointment,
  moveAppointment,
  deleteAppointment,
  notifyAppointment,
  connectAppointment,
  updateNotes,
  startInstantAppointment,
];
