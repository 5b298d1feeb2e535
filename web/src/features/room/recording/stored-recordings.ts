/** The database of the recordings on this device. */
export const recordingsDatabase = 'roomside-recordings';

/**
 * Whether recordings may be on this device, without opening their database. The local storage could not say it: a killed browser
 * loses what was written to it seconds ago.
 */
export async function mayHaveRecordings(): Promise<boolean> {
  if (typeof indexedDB === 'undefined') return false;
  // Firefox before 126 has no list.
  const list = (indexedDB as { databases?: IDBFactory['databases'] }).databases?.bind(indexedDB);
  if (!list) return true;
  return list().then(
    (all) => all.some(({ name }) => name === recordingsDatabase),
    () => false,
  );
}
