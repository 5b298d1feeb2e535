declare module '@20minutes/s3rver' {
  import type { Server } from 'node:http';

  /** A server with the interface of S3, over a folder; the part that the tests use. */
  export default class S3rver {
    constructor(options: {
      address: string;
      port: number;
      silent: boolean;
      directory: string;
      vhostBuckets: boolean;
      allowMismatchedSignatures: boolean;
      configureBuckets: { name: string }[];
    });
    httpServer: Server;
    run(): Promise<unknown>;
    close(): Promise<unknown>;
  }
}
