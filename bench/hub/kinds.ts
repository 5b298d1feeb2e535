/** The compared servers; each runs in a separate process. */
export const serverKinds = ['ws', 'ws-json', 'signalr', 'socket.io'] as const;
export type ServerKind = (typeof serverKinds)[number];

/** The clients' protocols: SignalR also with stateful reconnect. */
export type ClientKind = ServerKind | 'signalr-stateful';
