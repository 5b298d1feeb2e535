import type { GuestRole, GuestSender } from '@roomside/contract/guests/guest.ts';

/** The columns of `visit_guests` in a row that may be a guest's. */
interface GuestColumns {
  readonly guest_id: number | null;
  readonly guest_name: string | null;
  readonly guest_role: string | null;
}

/** Returns the guest whom a row belongs to; undefined for rows of staff and patients. */
export function guestOf(row: GuestColumns): GuestSender | undefined {
  if (row.guest_id === null || row.guest_name === null) return undefined;
  return { guestId: row.guest_id, name: row.guest_name, role: row.guest_role as GuestRole };
}
