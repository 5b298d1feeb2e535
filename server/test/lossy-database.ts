import { once } from 'node:events';
import net from 'node:net';
import { afterFile } from './after-file.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

/** A database behind a line that can lose the answer to a commit. */
export interface LossyDatabase {
  readonly database: TestDatabase;
  /**
   * Ends the connection of the next transaction that writes `value` when its commit has been answered, so that the answer does not arrive.
   * Resolves then.
   */
  loseCommit(value: string): Promise<void>;
}

/** As the server ends its answers: the tag of the statement and a zero. */
const committed = 'COMMIT\0';
const inserted = 'INSERT 0 1\0';

/** Creates a database behind such a line. It is dropped after the test file. */
export async function createLossyDatabase(): Promise<LossyDatabase> {
  const database = await createTestDatabase();
  const { host, port } = database.application;
  const sockets = new Set<net.Socket>();
  let wanted: { value: string; lost: () => void } | undefined;
  const server = net.createServer((from) => {
    const to = net.connect({ path: `${host}/.s.PGSQL.${port}` });
    for (const socket of [from, to]) sockets.add(socket.on('error', () => {}));
    from.on('close', () => to.destroy());
    to.on('close', () => from.destroy());
    let hasValue = false;
    let hasWritten = false;
    from.on('data', (bytes) => {
      if (wanted && bytes.includes(wanted.value)) hasValue = true;
      to.write(bytes);
    });
    to.on('data', (bytes) => {
      if (bytes.includes(inserted)) hasWritten = true;
      if (!bytes.includes(committed)) return from.write(bytes);
      if (wanted && hasValue && hasWritten) {
        from.destroy();
        wanted.lost();
        wanted = undefined;
      } else from.write(bytes);
      hasValue = false;
      hasWritten = false;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterFile(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const line = { host: '127.0.0.1', port: (server.address() as net.AddressInfo).port };
  return {
    database: { ...database, application: { ...database.application, ...line } },
    loseCommit: (value) =>
      new Promise((resolve) => {
        wanted = { value, lost: resolve };
      }),
  };
}
