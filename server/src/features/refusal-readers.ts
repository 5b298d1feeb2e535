import type { RefusalReaders } from '../platform/context.ts';
import { describeTakenTime } from './appointments/provider-time.ts';

/** What refusals show beside their text, by code. */
export const refusalReaders: RefusalReaders = { 'slot-taken': describeTakenTime };
