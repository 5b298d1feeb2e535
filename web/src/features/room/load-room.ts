/** Loads the code of the room, for pages from which it is one click away. */
export const loadRoom = async () => (await import('./RoomPage.tsx')).VisitRoom.preload();
