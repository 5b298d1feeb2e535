/** Whether a peer id is a guest's. */
export const isGuestPeer = (peerId: string): boolean => peerId.startsWith('G_');
