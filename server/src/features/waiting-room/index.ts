import { announceDelay } from './announce-delay.ts';
import { getArrivedCount } from './get-arrived-count.ts';
import { handOverPatient } from './hand-over-patient.ts';
import { holdPatient } from './hold-patient.ts';
import { listArrived } from './list-arrived.ts';

export const waitingRoomCalls = [getArrivedCount, listArrived, announceDelay, holdPatient, handOverPatient];
