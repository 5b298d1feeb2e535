import * as z from 'zod/mini';
import { forgetUnsent, unsentPrefix } from '../../api/unsent-place.ts';

/** Notes that are not stored by the server yet, and the version that they were written over. */
const draft = z.object({ text: z.string(), version: z.int() });
export type NotesDraft = z.infer<typeof draft>;

export type NotesDrafts = ReturnType<typeof notesDrafts>;

/**
 * The unsaved notes of one user about one appointment. They survive a reload, and leaving the page. Because they are patient data, they are
 * only in the tab's session storage, until they are saved, the user signs out, or another person uses the tab.
 */
export function notesDrafts(userId: number, appointmentId: number) {
  const own = `${unsentPrefix}U_${userId}:`;
  const place = `${own}notes:${appointmentId}`;
  forgetUnsent((other) => !other.startsWith(own));
  return {
    load(): NotesDraft | undefined {
      try {
        const parsed = draft.safeParse(JSON.parse(sessionStorage.getItem(place) ?? 'null'));
        return parsed.success ? parsed.data : undefined;
      } catch {
        // Not this application's data, or no storage.
        return undefined;
      }
    },

    keep(unsaved: NotesDraft): void {
      try {
        sessionStorage.setItem(place, JSON.stringify(unsaved));
      } catch {
        // A full or forbidden storage only means that a reload loses the text.
      }
    },

    drop(): void {
      forgetUnsent((other) => other === place);
    },
  };
}
