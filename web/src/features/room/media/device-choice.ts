import * as z from 'zod/mini';

/** What a person has turned off, or on, in a visit. */
const switches = z.object({
  muted: z.boolean(),
  cameraOff: z.boolean(),
  /** No video is sent or asked for, until the user turns it on. */
  savesData: z.boolean(),
  /** Whether the camera stays off when video is turned on again. */
  wasOff: z.boolean(),
});
export type Switches = z.infer<typeof switches>;

/** What this browser's user has chosen: devices by device id. */
const choice = z.object({
  camera: z.optional(z.string()),
  microphone: z.optional(z.string()),
  speaker: z.optional(z.string()),
  /** The camera's background is blurred. */
  blur: z.optional(z.boolean()),
  /** The switches of visits that this device is in. `at`: when they were kept, ms. */
  visits: z.optional(z.array(z.object({ place: z.string(), at: z.number(), switches }))),
});
export type DeviceChoice = z.infer<typeof choice>;

const storageKey = 'room:devices';
/** For how long switches are kept that no page has removed, ms. */
const switchesMs = 24 * 3600_000;

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

const recentVisits = () => readChoice().visits?.filter(({ at }) => at > Date.now() - switchesMs) ?? [];

/** Reads the switches that were kept for a person in a visit, by this page or another one of this browser. */
export function readSwitches(place: string | undefined): Switches | undefined {
  return recentVisits().find((one) => one.place === place)?.switches;
}

/** Keeps the switches for a reload and for other tabs; without `kept` it removes them. Nothing is kept without a place. */
export function keepSwitches(place: string | undefined, kept?: Switches): void {
  if (place === undefined) return;
  const visits = recentVisits().filter((one) => one.place !== place);
  if (kept) visits.push({ place, at: Date.now(), switches: kept });
  keepChoice({ ...readChoice(), visits });
}
