import { once } from 'node:events';
import net from 'node:net';

/** Forwards each new connection to the first of several servers that responds, as a load balancer does. */
export async function openFront(ports: () => readonly number[]): Promise<{ url: string; close(): void }> {
  const open = new Set<net.Socket>();
  const keep = (socket: net.Socket) => {
    open.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket));
    return socket;
  };
  const server = net.createServer((client) => {
    keep(client);
    const tryNext = ([port, ...rest]: readonly number[]): void => {
      if (port === undefined) return void client.destroy();
      const onward = keep(net.connect(port, '127.0.0.1'));
      onward.once('connect', () => {
        client.pipe(onward).pipe(client);
        client.on('close', () => onward.destroy());
        onward.on('close', () => client.destroy());
      });
      onward.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED') tryNext(rest);
        else client.destroy();
      });
    };
    tryNext(ports());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://localhost:${(server.address() as net.AddressInfo).port}`,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
