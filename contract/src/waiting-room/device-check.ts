import * as z from 'zod/mini';

/**
 * What a check of a patient's device has found. `unknown`: not checked. A speaker cannot be heard by the device, so the patient says
 * whether there was a sound. `connection` is judged by {@link connectionOf}; `failed`: the relay or the other side cannot be reached.
 */
export const deviceCheck = z.object({
  camera: z.enum(['works', 'missing', 'refused', 'busy', 'unknown']),
  microphone: z.enum(['works', 'silent', 'missing', 'unknown']),
  speaker: z.enum(['works', 'silent', 'unknown']),
  connection: z.enum(['good', 'fair', 'poor', 'failed', 'unknown']),
});
export type DeviceCheck = z.infer<typeof deviceCheck>;

/** What the loopback through the relay has measured. */
export interface ConnectionSample {
  /** Share of lost packets, 0 to 1. */
  loss: number;
  /** Median round trip, ms. */
  roundTripMs: number;
}

/** Judges a connection: above 2 % loss or 300 ms speech suffers (fair), above 8 % or 700 ms a conversation does (poor). */
export function connectionOf({ loss, roundTripMs }: ConnectionSample): 'good' | 'fair' | 'poor' {
  if (loss > 0.08 || roundTripMs > 700) return 'poor';
  return loss > 0.02 || roundTripMs > 300 ? 'fair' : 'good';
}
