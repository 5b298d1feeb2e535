import { inRoom, type Role, staff } from '@roomside/contract/permissions.ts';

interface PeerId {
  role: Role;
  /** The number of the user, patient or guest. */
  personId: number;
  device: string;
}

const format = new RegExp(`^([${inRoom.join('')}])_(\\d+)_(.*)$`, 's');

/**
 * Splits a peer id, which the server builds: `{role}_{person}_{device}` (ENTITY-18).
 *
 * @throws Error for other texts
 */
export function parsePeerId(peerId: string): PeerId {
  const [, role, personId, device = ''] = format.exec(peerId) ?? [];
  if (role === undefined) throw new Error(`"${peerId}" is not a peer id.`);
  return { role: role as Role, personId: Number(personId), device };
}

const roleOf = (peerId: string): Role => parsePeerId(peerId).role;

export const isStaffPeer = (peerId: string): boolean => (staff as readonly Role[]).includes(roleOf(peerId));

export const isGuestPeer = (peerId: string): boolean => roleOf(peerId) === 'G';
