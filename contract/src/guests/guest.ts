import * as z from 'zod/mini';

/** What an invited person is. */
export const guestRoles = ['family', 'interpreter', 'colleague', 'other'] as const;
export type GuestRole = (typeof guestRoles)[number];

/** A guest as the others in the room see them. */
export const guestSender = z.object({ guestId: z.int(), name: z.string(), role: z.enum(guestRoles) });
export type GuestSender = z.infer<typeof guestSender>;
