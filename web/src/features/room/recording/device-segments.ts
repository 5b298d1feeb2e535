import type { SegmentStore } from './segment-store.ts';

/** Loads the store, which a visit that is not recorded does not need. */
export const loadSegments = (): Promise<SegmentStore> =>
  (store ??= import('./segment-store.ts').then(
    ({ SegmentStore: Store }) => new Store(),
    (error: unknown) => {
      store = undefined;
      throw error;
    },
  ));
let store: Promise<SegmentStore> | undefined;

/** The recordings on this device. Its code is loaded with the first use. */
export const segmentStore: Pick<SegmentStore, 'begin' | 'append' | 'finish' | 'refuse' | 'list' | 'read' | 'remove'> = {
  begin: async (segment) => (await loadSegments()).begin(segment),
  append: async (id, bytes, at) => (await loadSegments()).append(id, bytes, at),
  finish: async (id, stopped) => (await loadSegments()).finish(id, stopped),
  refuse: async (id, code) => (await loadSegments()).refuse(id, code),
  list: async (owner) => (await loadSegments()).list(owner),
  read: async (segment) => (await loadSegments()).read(segment),
  remove: async (id) => (await loadSegments()).remove(id),
};
