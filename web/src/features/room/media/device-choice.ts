import * as z from 'zod/mini';

/** What this browser's user has chosen: devices by device id. */
const choice = z.object({
  camera: z.optional(z.string()),
  microphone: z.optional(z.string()),
  speaker: z.optional(z.string()),
  /** The camera's background is blurred. */
  blur: z.optional(z.boolean()),
});
export type DeviceChoice = z.infer<typeof choice>;

const storageKey = 'room:devices';

/** Reads the choice; empty without a storage. */
export function readChoice(): DeviceChoice {
  try {
    const { success, data } = choice.safeParse(JSON.parse(localStorage.getItem(storageKey) ?? '{}'));
    return success ? data : {};
  } catch {
    return {};
  }
}

/** Keeps the choice for later visits. A forbidden storage only means that it is asked again. */
export function keepChoice(chosen: DeviceChoice): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify(chosen));
  } catch {
    // No storage.
  }
}
