import type { GuestRole } from '@roomside/contract/guests/guest.ts';
import type { StaffRole } from '@roomside/contract/permissions.ts';
import type { Sender } from '@roomside/contract/room/messages.ts';

/** The license of the caller's company: expired with or without a visit of theirs that goes on (decision 058). */
export type License = 'valid' | 'during-visit' | 'expired';

/** Of staff: `missing` = their company requires a second factor, which they do not have; `during-visit` = while they are in a visit (decision 060). */
export type FactorState = 'settled' | 'during-visit' | 'missing';

interface Person {
  readonly signInId: number;
  readonly serial: string;
  readonly firstName: string;
  readonly lastName: string;
}

/** Staff of one company. `role` is the current one in the database. */
export interface StaffCaller extends Person {
  readonly kind: 'staff';
  readonly role: StaffRole;
  readonly userId: number;
  readonly companyId: number;
  readonly timeZone: string;
  readonly currency: string;
  readonly license: License;
  readonly secondFactor: FactorState;
}

/** An administrator of the installation. */
export interface SuperCaller extends Person {
  readonly kind: 'super';
  readonly role: 'Super';
  readonly userId: number;
}

/** A patient who signed in by the code of one appointment. May access their own data in that company. */
export interface PatientCaller extends Person {
  readonly kind: 'patient';
  readonly role: 'P';
  readonly patientId: number;
  readonly companyId: number;
  readonly appointmentId: number;
  readonly appointmentUid: string;
  readonly timeZone: string;
  readonly currency: string;
  readonly license: License;
}

/** A person who was invited to one visit by a link. Reaches the room of that visit only. `firstName` is the whole name. */
export interface GuestCaller extends Person {
  readonly kind: 'guest';
  readonly role: 'G';
  readonly guestId: number;
  readonly guestRole: GuestRole;
  readonly companyId: number;
  readonly appointmentId: number;
  readonly appointmentUid: string;
  readonly timeZone: string;
  readonly currency: string;
  readonly license: License;
}

/** Everyone who can be in a room. */
export type RoomCaller = StaffCaller | PatientCaller | GuestCaller;

export type AnyCaller = StaffCaller | SuperCaller | PatientCaller | GuestCaller;

/** The number of the caller's record: a user, a patient or a guest. */
export function personIdOf(caller: AnyCaller): number {
  if (caller.kind === 'guest') return caller.guestId;
  return caller.kind === 'patient' ? caller.patientId : caller.userId;
}

/** The actor for the audit log: 'U_12', 'P_34', 'G_56'. Includes the role at that time. */
export function actorOf(caller: AnyCaller): string {
  return `${caller.role}_${personIdOf(caller)}`;
}

/** The peer id (ENTITY-18). Always built here, never taken from a client. */
export function peerIdOf(caller: RoomCaller): string {
  return `${caller.role}_${personIdOf(caller)}_${caller.serial}`;
}

/** The caller as the other peers see them. */
export function senderOf(caller: RoomCaller): Sender {
  return {
    peerId: peerIdOf(caller),
    roleId: caller.role,
    userId: caller.kind === 'staff' ? caller.userId : null,
    patientId: caller.kind === 'patient' ? caller.patientId : null,
    firstName: caller.firstName,
    lastName: caller.lastName,
    ...(caller.kind === 'guest' && {
      guest: { guestId: caller.guestId, name: caller.firstName, role: caller.guestRole },
    }),
  };
}
