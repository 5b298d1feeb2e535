import type { Server as HttpServer } from 'node:http';
import { Server } from 'socket.io';
import type { Counts, Data } from './relay.ts';

/** socket.io as in its documentation, with WebSocket only. */
export function relaySocketIo(http: HttpServer, counts: Counts): void {
  const io = new Server(http, { transports: ['websocket'], serveClient: false });
  io.on('connection', (socket) => {
    void socket.join(`${socket.handshake.query['room']}`);
    socket.on('SendData', (data: Data) => {
      if (!socket.rooms.has(data.session)) return;
      socket.to(data.session).emit('Notify', data);
      counts.relayed += 1;
    });
  });
}
