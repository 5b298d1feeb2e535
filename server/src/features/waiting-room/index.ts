import { announceDelay } from './announce-delay.ts';
import { getArrivedCount } from './get-arrived-count.ts';
import { handOverPatient } from './hand-over-patient.ts';
import { holdPatient } from './hold-patient.ts';
import { listArrived } from './list-arrived.ts';
import { saveDeviceCheck } from './save-device-check.ts';
import { writeToPatient } from './write-to-patient.ts';

export const waitingRoomCalls = [
  getArrivedCount,
  listArrived,
  announceDelay,
  holdPatient,
  handOverPatient,
  writeToPatient,
  saveDeviceCheck,
];
