/** The part of a waiting room card that determines the order. Instants are ISO 8601. */
export interface Waiting {
  patientPresent: string;
  providerPresent: string | null;
}

/** STATE-7: patients without a provider first, then the longest wait first. Returns a new array. */
export function waitingOrder<T extends Waiting>(cards: readonly T[]): T[] {
  return [...cards].sort(
    (a, b) =>
      Number(a.providerPresent !== null) - Number(b.providerPresent !== null) ||
      Date.parse(a.patientPresent) - Date.parse(b.patientPresent),
  );
}

/** Returns the seconds that a patient has waited: until a provider came, else until now (epoch ms). */
export function waitSeconds(card: Waiting, now: number): number {
  const until = card.providerPresent ? Date.parse(card.providerPresent) : now;
  return Math.max(0, Math.floor((until - Date.parse(card.patientPresent)) / 1000));
}

/** STATE-6, CALL-9: whether a user sees an arrival: doctors those of their own patients, administrators and staff users all. */
export function hearsArrival(listener: { role: string; userId: number }, doctorId: number): boolean {
  return listener.role === 'A' || listener.role === 'U' || (listener.role === 'D' && listener.userId === doctorId);
}
