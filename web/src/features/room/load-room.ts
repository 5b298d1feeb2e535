/** Loads the code of the room, for pages from which it is one click away. */
export const loadRoom = () => Promise.all([import('./RoomPage.tsx'), import('./view/ThemedRoom.tsx')]);
