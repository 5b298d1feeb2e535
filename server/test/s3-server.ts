import fs from 'node:fs';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import S3rver from '@20minutes/s3rver';

export interface S3Server {
  /** The settings of the application for its bucket. */
  readonly settings: Record<string, string>;
  /** Where it stores the bucket. */
  readonly folder: string;
  /** Methods and addresses of the requests that it got. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/** Starts a server with the interface of S3 and an empty bucket. */
export async function startS3(): Promise<S3Server> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-s3-'));
  const bucket = 'roomside';
  const where = { address: '127.0.0.1', port: 0, directory: folder };
  // It signs the path of a list without its last slash, other than S3 and the SDK.
  const lenient = { silent: true, vhostBuckets: false, allowMismatchedSignatures: true };
  const server = new S3rver({ ...where, ...lenient, configureBuckets: [{ name: bucket }] });
  await server.run();
  const requests: string[] = [];
  server.httpServer.on('request', ({ method, url }) => void requests.push(`${method} ${url}`));
  const { port } = server.httpServer.address() as AddressInfo;
  return {
    settings: {
      S3_BUCKET: bucket,
      S3_ENDPOINT: `http://127.0.0.1:${port}`,
      // The only key that this server knows.
      S3_ACCESS_KEY_ID: 'S3RVER',
      S3_SECRET_ACCESS_KEY: 'S3RVER',
      S3_PATH_STYLE: 'true',
    },
    folder: path.join(folder, bucket),
    requests,
    close: async () => {
      server.httpServer.closeAllConnections();
      await server.close();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}
