/**
 * Who may do what: one line per rule, the table of the product (ROLE-1 to ROLE-7). Screens ask it before they offer
 * something, the server before it does it. Everything is within the caller's own company.
 */

/** Roles as tokens carry them (ROLE-1): administrator, doctor, staff user, patient. */
export type Role = 'A' | 'D' | 'U' | 'P';
export type StaffRole = Exclude<Role, 'P'>;

/** A Super is an administrator without a company (ABOUT-3); it is a caller of its own and never passes for an A. */
export type Caller = Role | 'Super';

export const staff = ['A', 'D', 'U'] as const satisfies readonly Caller[];
/** Administrators and doctors: those who can be a visit's provider. */
export const providers = ['A', 'D'] as const satisfies readonly Caller[];
export const everyone = ['A', 'D', 'U', 'P', 'Super'] as const satisfies readonly Caller[];

const rules = {
  /** Patients, appointments, notes, waiting room, rooms: all staff of the company. A patient's own are apart. */
  'clinic.use': staff,
  'room.enter': ['A', 'D', 'U', 'P'],
  'room.end': staff,
  'notes.use': staff,
  'fee.write': ['A'],
  'recording.make': providers,
  'recording.delete': providers,
  'appointment.instant': providers,
  'rules.write.all': ['A'],
  'rules.write.own': providers,
  'company.settings': ['A'],
  'admin.area': ['A', 'Super'],
  'companies.manage': ['Super'],
  'account.own': ['A', 'D', 'U', 'Super'],
  /** The menu entry My Account (MENU-3, ROLE-7); administrators reach their own record in the user list too. */
  'account.menu': ['D', 'U'],
} as const satisfies Record<string, readonly Caller[]>;

export type Action = keyof typeof rules;

/** True when a caller of this kind may do this at all. */
export function may(caller: Caller | undefined, action: Action): boolean {
  return caller !== undefined && (rules[action] as readonly Caller[]).includes(caller);
}
