import { HubError, hub } from '@roomside/signalr';

/** The methods of the server. */
export interface ChatServer {
  /** Enters the room under this name and returns the names of those who are in it. */
  Enter(name: string): string[];
  /** Returns the number of receivers. */
  Say(text: string): number;
}

/** The methods of the client. */
export interface ChatClient {
  Said(from: string, text: string): void;
  Entered(name: string): void;
  Left(name: string): void;
}

const room = 'room';
const names = new Map<string, string>();

export const chat = hub<ChatServer, ChatClient>({
  path: '/chat',
  limits: { messageBytes: 4_096, callsPerSecond: 10 },
  methods: {
    async Enter(ctx, name) {
      if (typeof name !== 'string' || !/^\S.{0,29}$/.test(name)) throw new HubError('A name has 1 to 30 characters.');
      names.set(ctx.connectionId, name);
      await ctx.groups.add(room);
      ctx.clients.othersIn(room).Entered(name);
      return [...names.values()];
    },
    Say(ctx, text) {
      const name = names.get(ctx.connectionId);
      if (name === undefined) throw new HubError('Enter first.');
      return ctx.clients.group(room).Said(name, String(text));
    },
  },
  onDisconnected(ctx) {
    const name = names.get(ctx.connectionId);
    if (names.delete(ctx.connectionId) && name !== undefined) ctx.clients.othersIn(room).Left(name);
  },
});
