import { getArrivedCount } from './get-arrived-count.ts';
import { listArrived } from './list-arrived.ts';

export const waitingRoomCalls = [getArrivedCount, listArrived];
