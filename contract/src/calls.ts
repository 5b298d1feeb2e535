import * as accountSecurity from './account-security/calls.ts';
import * as appointments from './appointments/calls.ts';
import * as audit from './audit/calls.ts';
import * as auth from './auth/calls.ts';
import * as passkeySignIn from './auth/passkey-calls.ts';
import * as signUp from './auth/sign-up-calls.ts';
import * as booking from './booking/calls.ts';
import * as brands from './brands/calls.ts';
import * as calendars from './calendars/calls.ts';
import type { Call } from './call.ts';
import * as companies from './companies/calls.ts';
import * as csvImport from './csv-import/calls.ts';
import * as dataExport from './data-export/calls.ts';
import * as externalSignIn from './external-sign-in/calls.ts';
import * as files from './files/calls.ts';
import * as firstSteps from './first-steps/calls.ts';
import * as guests from './guests/calls.ts';
import * as ledger from './ledger/calls.ts';
import * as licenses from './licenses/calls.ts';
import * as myVisits from './my-appointments/calls.ts';
import * as numbers from './numbers/calls.ts';
import * as patients from './patients/calls.ts';
import * as payments from './payments/calls.ts';
import * as photos from './photos/calls.ts';
import * as promos from './promos/calls.ts';
import * as recordings from './recordings/calls.ts';
import * as retention from './retention/calls.ts';
import * as room from './room/calls.ts';
import * as roomRecording from './room/recording-calls.ts';
import * as schedule from './schedule/calls.ts';
import * as schedulingRules from './scheduling-rules/calls.ts';
import * as timeOff from './time-off/calls.ts';
import * as users from './users/calls.ts';
import * as waitingRoom from './waiting-room/calls.ts';

const isCall = (value: unknown): value is Call =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'who' in value;

/** All calls: for OpenAPI, the permission test and the check that the server has a route for each. */
export const allCalls: readonly Call[] = [
  auth,
  externalSignIn,
  passkeySignIn,
  signUp,
  accountSecurity,
  brands,
  companies,
  promos,
  payments,
  licenses,
  ledger,
  users,
  patients,
  appointments,
  files,
  recordings,
  photos,
  waitingRoom,
  room,
  roomRecording,
  schedule,
  calendars,
  schedulingRules,
  timeOff,
  booking,
  myVisits,
  guests,
  numbers,
  firstSteps,
  audit,
  dataExport,
  csvImport,
  retention,
]
  .flatMap((feature) => Object.values(feature as Record<string, unknown>))
  .filter(isCall);
