import type { IncomingMessage, Server } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Counts, Data } from './relay.ts';

/** The minimum of a relay: forwards frames unread. */
export function relayFrames(http: Server, counts: Counts): void {
  const rooms = new Rooms();
  new WebSocketServer({ server: http, perMessageDeflate: false }).on('connection', (socket, request) => {
    const room = rooms.join(socket, request);
    socket.on('message', (data, binary) => {
      for (const other of room) {
        if (other === socket) continue;
        other.send(data, { binary });
        counts.relayed += 1;
      }
    });
  });
}

/** A hand-written relay: parses, checks that the sender is in the room, and serializes once for all receivers. */
export function relayJson(http: Server, counts: Counts): void {
  const rooms = new Rooms();
  new WebSocketServer({ server: http, perMessageDeflate: false }).on('connection', (socket, request) => {
    const own = rooms.join(socket, request);
    socket.on('message', (frame: Buffer) => {
      const data = JSON.parse(frame.toString()) as Data;
      const room = rooms.of(data.session);
      if (room !== own) return;
      const text = JSON.stringify(data);
      for (const other of room) {
        if (other === socket) continue;
        other.send(text);
        counts.relayed += 1;
      }
    });
  });
}

class Rooms {
  readonly #members = new Map<string, Set<WebSocket>>();

  of(name: string): Set<WebSocket> | undefined {
    return this.#members.get(name);
  }

  join(socket: WebSocket, request: IncomingMessage): Set<WebSocket> {
    const name = new URLSearchParams(request.url?.split('?')[1]).get('room') ?? '';
    const members = this.#members.get(name) ?? new Set();
    this.#members.set(name, members.add(socket));
    socket.on('close', () => {
      members.delete(socket);
      if (members.size === 0) this.#members.delete(name);
    });
    return members;
  }
}
