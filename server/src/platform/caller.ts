interface Person {
  readonly signInId: number;
  readonly serial: string;
  readonly firstName: string;
  readonly lastName: string;
}

/** Staff of one company; `role` as it stands in the database now. */
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

/** A patient, by the code of one appointment; reaches that patient's own data in that company. */
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

/** Who, in the audit log: 'U_12', 'P_34'; the role is part of what was true then. */
export function actorOf(caller: AnyCaller): string {
  return caller.kind === 'patient' ? `P_${caller.patientId}` : `${caller.role}_${caller.userId}`;
}

/** The peer id of ENTITY-18 and decisions, 6; always made here, never taken from a client. */
export function peerIdOf(caller: StaffCaller | PatientCaller): string {
  return `${caller.role}_${caller.kind === 'patient' ? caller.patientId : caller.userId}_${caller.serial}`;
}
