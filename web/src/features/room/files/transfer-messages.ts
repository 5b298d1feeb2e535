import { maxFileBytes } from '@roomside/contract/limits.ts';
import * as z from 'zod/mini';

const id = z.string().check(z.minLength(8), z.maxLength(64));
const bytes = z.int().check(z.minimum(0), z.maximum(maxFileBytes));

/**
 * Messages on the data channel for files, beside the file's bytes, which follow an `accept` in chunks. The sender offers a file; the
 * receiver accepts it from the byte that it has, or declines. `got` reports progress. `end` has the checksum of the whole file (PieceHash),
 * which the receiver compares: `done` or `broken`. After a new connection the sender offers an unfinished file again.
 */
const message = z.union([
  z.object({ offer: id, name: z.string().check(z.minLength(1), z.maxLength(500)), size: bytes }),
  z.object({ accept: id, from: bytes }),
  z.object({ decline: id }),
  z.object({ got: id, bytes }),
  z.object({ end: id, checksum: z.string() }),
  z.object({ done: id }),
  z.object({ broken: id }),
  z.object({ cancel: id }),
]);
export type TransferMessage = z.infer<typeof message>;

export function readTransferMessage(text: string): TransferMessage | undefined {
  try {
    const { success, data } = message.safeParse(JSON.parse(text));
    return success ? data : undefined;
  } catch {
    return undefined;
  }
}
