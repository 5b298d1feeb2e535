import { isPatientNotified } from '@roomside/contract/appointments/notification-kinds.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { knownPlace, type PatientMessage, type Place } from './known-place.ts';
import { queueNotification } from './queue-notification.ts';

export interface Cancelled {
  readonly companyId: number;
  readonly appointmentId: number;
  readonly patientId: number;
  /** The appointment before it was cancelled. */
  readonly from: Place & { readonly endsAt: string };
  /** null = the patient cancelled it. */
  readonly byUserId: number | null;
  readonly now: string;
}

/**
 * Queues the message about a cancellation or deletion. A patient who does not know of the appointment gets none from staff; one who cancels gets
 * the confirmation always. The message names the start and provider that the patient knows, and is not sent after that appointment's end.
 *
 * @param messages the messages to the patient, without held ones, the latest first
 */
export async function queueCancellation(
  tx: Tx,
  context: Pick<Context, 'jobs'>,
  { from, ...about }: Cancelled,
  messages: readonly PatientMessage[],
): Promise<void> {
  const isOwn = about.byUserId === null;
  if (!isOwn && !isPatientNotified(messages)) return;
  const known = isOwn ? from : knownPlace(messages, from, about.now);
  const length = Date.parse(from.endsAt) - Date.parse(from.startsAt);
  if (Date.parse(known.startsAt) + length <= Date.parse(about.now)) return;
  await queueNotification(tx, context, { ...about, kind: 'cancelled', known });
}
