import { accountSecurityCalls } from './account-security/index.ts';
import { appointmentCalls } from './appointments/index.ts';
import { auditCalls } from './audit/index.ts';
import { authCalls } from './auth/index.ts';
import { bookingCalls } from './booking/index.ts';
import { brandCalls } from './brands/index.ts';
import { calendarCalls } from './calendars/index.ts';
import { companyCalls } from './companies/index.ts';
import { csvImportCalls } from './csv-import/index.ts';
import { dataExportCalls } from './data-export/index.ts';
import { externalSignInCalls } from './external-sign-in/index.ts';
import { fileCalls } from './files/index.ts';
import { firstStepCalls } from './first-steps/index.ts';
import { guestCalls } from './guests/index.ts';
import { ledgerCalls } from './ledger/index.ts';
import { licenseCalls } from './licenses/index.ts';
import { myAppointmentCalls } from './my-appointments/index.ts';
import { numberCalls } from './numbers/index.ts';
import { patientCalls } from './patients/index.ts';
import { paymentCalls } from './payments/index.ts';
import { photoCalls } from './photos/index.ts';
import { promoCalls } from './promos/index.ts';
import { recordingCalls } from './recordings/index.ts';
import { retentionCalls } from './retention/index.ts';
import { roomCalls } from './room/index.ts';
import { scheduleCalls } from './schedule/index.ts';
import { schedulingRuleCalls } from './scheduling-rules/index.ts';
import { timeOffCalls } from './time-off/index.ts';
import { userCalls } from './users/index.ts';
import { waitingRoomCalls } from './waiting-room/index.ts';

/** All calls that the server has, by feature. */
export const served = [
  ...authCalls,
  ...accountSecurityCalls,
  ...externalSignInCalls,
  ...brandCalls,
  ...companyCalls,
  ...promoCalls,
  ...paymentCalls,
  ...licenseCalls,
  ...ledgerCalls,
  ...userCalls,
  ...patientCalls,
  ...appointmentCalls,
  ...fileCalls,
  ...recordingCalls,
  ...photoCalls,
  ...waitingRoomCalls,
  ...roomCalls,
  ...scheduleCalls,
  ...calendarCalls,
  ...schedulingRuleCalls,
  ...timeOffCalls,
  ...bookingCalls,
  ...myAppointmentCalls,
  ...guestCalls,
  ...numberCalls,
  ...firstStepCalls,
  ...auditCalls,
  ...dataExportCalls,
  ...csvImportCalls,
  ...retentionCalls,
];
