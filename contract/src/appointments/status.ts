import { completedAfterSeconds, missedAfterMinutes } from '../limits.ts';

/** The status of an appointment. It is never stored, but computed from what happened (STATE-1). */
export type Status = 'cancelled' | 'completed' | 'inProgress' | 'waiting' | 'missed' | 'scheduled';
export const statuses = ['cancelled', 'completed', 'inProgress', 'waiting', 'missed', 'scheduled'] as const;

/** The values from which the status is computed. Instants are ISO 8601, `duration` is in seconds. */
export interface StatusFacts {
  startDate: string;
  cancelled: boolean;
  cancelledAt: string | null;
  /** Since when the patient or a provider is in the room; null: not in the room. */
  patientPresent: string | null;
  providerPresent: string | null;
  firstArrivedAt: string | null;
  duration: number;
  /** When staff ended the visit after both had met. */
  endedAt: string | null;
  /** Whether a provider was ever in the room, and how long the patient waited for one in total, seconds. */
  providerCame: boolean;
  waitedSeconds: number;
  /** Imported after it was held: completed without a visit here. */
  completedElsewhere: boolean;
}

/** Returns the first status that applies, by precedence. `now` is an ISO instant. */
export function statusOf(facts: StatusFacts, now: string): Status {
  const { patientPresent, providerPresent } = facts;
  const visited = facts.duration >= completedAfterSeconds || facts.endedAt !== null || facts.completedElsewhere;
  if (facts.cancelled) return 'cancelled';
  if (visited && !patientPresent && !providerPresent) return 'completed';
  if (patientPresent && providerPresent) return 'inProgress';
  if (patientPresent) return 'waiting';
  // Staff who stay in the room after a visit do not change its status.
  if (visited) return 'completed';
  if (Date.parse(now) >= Date.parse(facts.startDate) + missedAfterMinutes * 60_000) return 'missed';
  return 'scheduled';
}

/** Formats a duration as 's', 'm s' or 'h m s' (LIST-13): 45 -> '45s', 125 -> '2m 5s', 3725 -> '1h 2m 5s'; 0 -> ''. */
export function durationText(seconds: number): string {
  if (seconds <= 0) return '';
  const h = Math.floor(seconds / 3600);
  const m = Math.floor((seconds % 3600) / 60);
  const s = Math.floor(seconds % 60);
  if (h > 0) return `${h}h ${m}m ${s}s`;
  return m > 0 ? `${m}m ${s}s` : `${s}s`;
}

/** Returns the readable status with its time; `at` formats an instant in the reader's time zone. */
export function statusTooltip(facts: StatusFacts, now: string, at: (instant: string) => string): string {
  switch (statusOf(facts, now)) {
    case 'cancelled':
      return facts.cancelledAt ? `Cancelled ${at(facts.cancelledAt)}` : 'Cancelled';
    case 'completed':
      if (facts.completedElsewhere) return 'Completed in the system you used before';
      return facts.duration > 0 ? `Completed, ${durationText(facts.duration)}` : 'Completed';
    case 'inProgress':
      return `In progress since ${at(later(facts.patientPresent, facts.providerPresent))}`;
    case 'waiting':
      return `Waiting since ${at(facts.patientPresent ?? facts.startDate)}`;
    case 'missed':
      return missedText(facts, at);
    case 'scheduled':
      return `Scheduled for ${at(facts.startDate)}`;
  }
}

function later(a: string | null, b: string | null): string {
  if (!a || !b) return a ?? b ?? '';
  return Date.parse(a) > Date.parse(b) ? a : b;
}

function missedText(facts: StatusFacts, at: (instant: string) => string): string {
  if (facts.firstArrivedAt && !facts.providerCame) {
    return `Missed: the patient arrived ${at(facts.firstArrivedAt)} and waited ${durationText(Math.max(1, facts.waitedSeconds))}`;
  }
  if (facts.providerCame && !facts.firstArrivedAt) return 'Missed: only the provider joined';
  if (facts.providerCame) return 'Missed: both joined, but not at the same time';
  return 'Missed: no one joined';
}
