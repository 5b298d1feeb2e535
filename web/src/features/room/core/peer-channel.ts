/** A data channel that a feature uses with one other peer, such as the transfer of files. It is opened on each connection to that peer. */
export interface PeerChannel {
  /** Opens the channel on a new connection. Both sides create it with the same id (`negotiated`), so no offer is needed for it. */
  openOn(connection: RTCPeerConnection): void;
  /** The connection was replaced or closed. */
  drop(): void;
}

/** The ids of the data channels between two peers. */
export const channelIds = { control: 0, files: 1, verification: 2, pictures: 3 } as const;
