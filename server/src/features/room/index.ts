import { getTeleappointment } from './get-teleappointment.ts';
import { getVisitCalendar } from './get-visit-calendar.ts';
import { getVisitQuality } from './get-visit-quality.ts';
import { listMessages } from './list-messages.ts';
import { answerRecording, getRecordingState, startRecording, stopRecording } from './recording-state.ts';
import { saveDeviceCheck } from './save-device-check.ts';
import { saveVisitQuality } from './save-visit-quality.ts';
import { writeToPatient } from './write-to-patient.ts';

export const roomCalls = [
  getTeleappointment,
  listMessages,
  getVisitCalendar,
  saveVisitQuality,
  getVisitQuality,
  writeToPatient,
  saveDeviceCheck,
  getRecordingState,
  startRecording,
  stopRecording,
  answerRecording,
];
