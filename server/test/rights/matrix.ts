import type { Call } from '@roomside/contract/call.ts';
import { allCalls } from '@roomside/contract/calls.ts';
import { needsRow, type RightsRow } from './rows.ts';
import type { Need, Principal, Target, World } from './world.ts';

/** The objects on which each call is tried. */
export const kinds = ['own', 'same', 'other', 'absent'] as const;

/** The calls that need a sign-in. */
export const calls = allCalls.filter(needsRow);

/** Licenses are paid to the installation's account. */
export const matrixSettings = { LICENSE_PROCESSOR: 'sandbox' };

/** A Super may see the names of companies and users, but not patients. */
export const superSees: ReadonlySet<string> = new Set([
  'getCompany',
  'listCompanies',
  'getUser',
  'listUsers',
  'getLicense',
  'getInvoice',
  'listAuditLog',
  'downloadAuditLog',
]);

/** Calls that show a patient in the matrix. Otherwise it could not see that one of them does so without an audit row. */
export const showsPatients: ReadonlySet<string> = new Set([
  ...['getPatient', 'listPatients', 'listPatientMatches'],
  ...['getAppointment', 'listAppointments', 'downloadAppointments', 'listSchedule', 'listBookingRequests'],
  ...['getTeleappointment', 'getVisitCalendar', 'listGuests', 'listMessages', 'listArrived'],
  ...['saveRule', 'deleteRule', 'saveTimeOff', 'listTimeOffAppointments'],
  ...['listLedger', 'downloadLedger', 'listOpenBalances', 'getReceipt'],
  ...['downloadFile', 'downloadPhoto', 'listRecordings', 'playRecording'],
  ...['exportCsv', 'getCsvColumns', 'getCsvImport', 'downloadWrongRows'],
  ...['listAuditLog', 'downloadAuditLog'],
]);

const needOf = (row: RightsRow): Need => ({
  changes: row.changes === true,
  ofPatient: row.reaches === 'visit' && (row.changes === true || row.parts === true),
  parts: row.parts === true,
  bare: row.bare === true,
  ruled: row.ruled === true,
  unverified: row.unverified === true,
  user: row.user ?? false,
});

/** Returns targets by kind. A target is replaced after a call has changed it. */
export function targetsFor({ buildTarget }: World, row: RightsRow) {
  const made = new Map<Target['kind'], Target>();
  return {
    async of(kind: Target['kind']): Promise<Target> {
      const target = made.get(kind) ?? (await buildTarget(kind, needOf(row)));
      made.set(kind, target);
      return target;
    },
    recordStatus(kind: Target['kind'], status: number): void {
      if (row.changes && status < 400) made.delete(kind);
    },
  };
}

/** Sends a call as a principal, on a target. */
export async function tryCell(principal: Principal, call: Call, row: RightsRow, target: Target) {
  const { params, query, body, upload } = row.attempt(target);
  return principal.person.call(call, {
    params: params as never,
    query: query as never,
    body: body as never,
    ...(upload && { upload }),
  });
}

/** Prints the number of tested cells. */
export function printCells(name: string, cells: number, leaks: number): void {
  // oxlint-disable-next-line no-console -- the figure of docs/figures.md.
  console.log(`${name}: ${cells} cells tried, ${leaks} leaks`);
}
