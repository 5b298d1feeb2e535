import type { GuestRole, GuestSender } from './guest.ts';

const words: Record<GuestRole, string> = {
  family: 'family member',
  interpreter: 'interpreter',
  colleague: 'colleague',
  other: 'guest',
};

/** How a guest is called where others read it: 'Maria Lopez (interpreter)'. */
export const guestName = ({ name, role }: Pick<GuestSender, 'name' | 'role'>): string => `${name} (${words[role]})`;
