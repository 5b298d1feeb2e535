/** The servers that are compared; each runs in a process of its own. */
export const serverKinds = ['ws', 'ws-json', 'signalr', 'socket.io'] as const;
export type ServerKind = (typeof serverKinds)[number];

/** What clients speak: SignalR also with stateful reconnect. */
export type ClientKind = ServerKind | 'signalr-stateful';
