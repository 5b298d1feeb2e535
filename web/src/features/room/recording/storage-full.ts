/** The browser's storage has no room for another chunk. */
export class StorageFull extends Error {
  override readonly name = 'StorageFull';
}
