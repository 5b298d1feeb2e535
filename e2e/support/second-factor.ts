import { createHmac } from 'node:crypto';

/** The code of an authenticator app (RFC 6238) for the key on the screen. */
export function codeOf(key: string, step: number): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = Array.from(key.replaceAll(' ', ''), (one) => letters.indexOf(one).toString(2).padStart(5, '0')).join('');
  const secret = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  return String((mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fff_ffff) % 1_000_000).padStart(6, '0');
}

/** The current time step of such codes, 30 s long. */
export const stepNow = () => Math.floor(Date.now() / 30_000);
