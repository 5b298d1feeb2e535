import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { isOverAt, type PatientMessage, type Place, placeNotified } from './known-place.ts';
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
 * @param messages the messages to the patient, the latest first, without held ones
 */
export async function queueCancellation(
  tx: Tx,
  context: Pick<Context, 'jobs'>,
  { from, ...about }: Cancelled,
  messages: readonly PatientMessage[],
): Promise<void> {
  const isOwn = about.byUserId === null;
  const known = isOwn ? from : placeNotified(messages, from, about.now);
  if (known === null || isOverAt(from, about.now)(known)) return;
  await queueNotification(tx, context, { ...about, kind: 'cancelled', ...(isOwn && { shown: from }) });
}
