import { hasPlace, hasPlaceAgain } from '@roomside/contract/guests/places.ts';
import type { PresentPeer } from '@roomside/contract/room/messages.ts';
import type { Tx } from '../../platform/database/database.ts';
import { wasJustIn } from './visit-rows.ts';

/**
 * Returns why a guest may not enter a room with these other peers, or null: no provider is inside, or the room is full. Staff may leave a guest
 * with the others, and may fill the room: a guest whose connection is renewed comes back.
 */
export async function whyNoPlace(
  tx: Tx,
  appointmentId: number,
  guestPeerId: string,
  others: readonly PresentPeer[],
  now: string,
): Promise<'full' | 'no-provider' | null> {
  const present = others.map(({ roleId }) => roleId);
  const hasProvider = others.some(({ userId }) => userId !== null);
  if (hasProvider && hasPlace(present, 'G')) return null;
  const mayReturn = others.length > 0 && hasPlaceAgain(present);
  if (mayReturn && (await wasJustIn(tx, appointmentId, { peer_id: guestPeerId }, now))) return null;
  return hasProvider ? 'full' : 'no-provider';
}
