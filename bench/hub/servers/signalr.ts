import type { Server } from 'node:http';
import { createHubServer, HubError, hub } from '../../../signalr/src/index.ts';
import type { Counts, Data } from './relay.ts';

interface RoomServer {
  SendData(data: Data): void;
}
interface RoomClient {
  Notify(data: Data): void;
}

/** Our SignalR server, with a different user for each connection, as in the product. */
export function relaySignalR(http: Server, counts: Counts): void {
  const room = hub<RoomServer, RoomClient, undefined>({
    path: '/messaging',
    authenticate: ({ token }) => (token ? { userId: token, claims: undefined } : null),
    methods: {
      SendData(ctx, data) {
        if (!ctx.groups.has(data.session)) throw new HubError('Not in this session');
        counts.relayed += ctx.clients.othersIn(data.session).Notify(data);
      },
    },
    onConnected: (ctx) => ctx.groups.add(ctx.query.get('room') ?? ''),
  });
  const hubs = createHubServer({ hubs: [room] });
  http.on('request', (request, response) => void (hubs.request(request, response) || response.writeHead(404).end()));
  http.on('upgrade', (request, socket, head) => void (hubs.upgrade(request, socket, head) || socket.destroy()));
}
