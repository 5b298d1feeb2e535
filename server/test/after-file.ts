const cleanUps: (() => unknown)[] = [];

/**
 * Registers what ends something that was started for a test file. It runs after the file's own hooks, the last one first. Unlike Vitest's
 * `afterAll` it may be called anywhere: that one does nothing inside a test or a hook.
 */
export function afterFile(cleanUp: () => unknown): void {
  cleanUps.push(cleanUp);
}

/** @throws the first error, after all have run */
export async function runAfterFile(): Promise<void> {
  const errors: unknown[] = [];
  for (let next = cleanUps.pop(); next; next = cleanUps.pop()) {
    try {
      await next();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
