import type { Sender } from '@roomside/contract/room/messages.ts';

interface Person {
  readonly signInId: number;
  readonly serial: string;
  readonly firstName: string;
  readonly lastName: string;
}

/** Staff of one company. `role` is the current one in the database. */
export interface StaffCaller extends Person {
  readonly kind: 'staff';
  readonly role: 'A' | 'D' | 'U';
  readonly userId: number;
  readonly companyId: number;
  readonly timeZone: string;
  readonly currency: string;
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
}

export type AnyCaller = StaffCaller | SuperCaller | PatientCaller;

/** The actor for the audit log: 'U_12', 'P_34'. Includes the role at that time. */
export function actorOf(caller: AnyCaller): string {
  return caller.kind === 'patient' ? `P_${caller.patientId}` : `${caller.role}_${caller.userId}`;
}

/** The peer id (ENTITY-18). Always built here, never taken from a client. */
export function peerIdOf(caller: StaffCaller | PatientCaller): string {
  return `${caller.role}_${caller.kind === 'patient' ? caller.patientId : caller.userId}_${caller.serial}`;
}

/** The caller as the other peers see them. */
export function senderOf(caller: StaffCaller | PatientCaller): Sender {
  return {
    peerId: peerIdOf(caller),
    roleId: caller.role,
    userId: caller.kind === 'staff' ? caller.userId : null,
    patientId: caller.kind === 'patient' ? caller.patientId : null,
    firstName: caller.firstName,
    lastName: caller.lastName,
  };
}
