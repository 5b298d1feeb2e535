/**
 * The permissions (ROLE-1 to ROLE-7), one line per action. Used by screens and by the server. All are within the caller's own company.
 */

/** The roles in tokens (ROLE-1): administrator, doctor, staff user, patient; and a guest, who was invited to one visit. */
export type Role = 'A' | 'D' | 'U' | 'P' | 'G';
export type StaffRole = Exclude<Role, 'P' | 'G'>;

/** A Super is an administrator without a company (ABOUT-3), a separate kind of caller without the rights of A. */
export type Caller = Role | 'Super';

export const staff = ['A', 'D', 'U'] as const satisfies readonly Caller[];
/** Administrators and doctors: the roles that can be an appointment's provider. */
export const providers = ['A', 'D'] as const satisfies readonly Caller[];
/** Everyone in a room. */
export const inRoom = ['A', 'D', 'U', 'P', 'G'] as const satisfies readonly Caller[];
/** All but guests, who have no pages besides the room. */
export const everyone = ['A', 'D', 'U', 'P', 'Super'] as const satisfies readonly Caller[];

const rules = {
  /** Patients, appointments, notes, waiting room, rooms: all staff of the company. Patients' own data has separate calls. */
  'clinic.use': staff,
  'room.enter': inRoom,
  'room.end': staff,
  /** Inviting other people to a visit by a link, and removing them. */
  'guests.invite': providers,
  'notes.use': staff,
  'fee.write': ['A'],
  'recording.make': providers,
  'recording.delete': providers,
  'appointment.instant': providers,
  'rules.write.all': ['A'],
  'rules.write.own': providers,
  'company.settings': ['A'],
  'users.manage': ['A', 'Super'],
  'admin.area': ['A', 'Super'],
  'audit.read': ['A', 'Super'],
  'patient.erase': ['A'],
  'companies.manage': ['Super'],
  'account.own': ['A', 'D', 'U', 'Super'],
  /** The menu entry My Account (MENU-3, ROLE-7). Administrators find their own record in the user list. */
  'account.menu': ['D', 'U'],
} as const satisfies Record<string, readonly Caller[]>;

export type Action = keyof typeof rules;

/** Whether a caller of this kind has the permission. */
export function may(caller: Caller | undefined, action: Action): boolean {
  return caller !== undefined && (rules[action] as readonly Caller[]).includes(caller);
}
