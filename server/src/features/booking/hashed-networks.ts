import { sql } from 'kysely';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { networksOf } from '../../platform/http/networks.ts';

/** The networks of a client as holds store them: keyed hashes of the customer's network and of the site; null for IPv4. */
export interface HashedNetworks {
  readonly address: Buffer;
  readonly site: Buffer | null;
}

export function hashedNetworks({ keys }: Pick<Context, 'keys'>, address: string): HashedNetworks {
  const { customer, site } = networksOf(address);
  return { address: keys.mac('subject', customer), site: site === null ? null : keys.mac('subject', site) };
}

/** Serializes what is counted for a network and its site. Every transaction locks the network first. */
export async function lockNetworks(
  tx: Tx,
  purpose: 'holds' | 'bookings',
  { address, site }: HashedNetworks,
): Promise<void> {
  for (const network of [address, site]) {
    if (network === null) continue;
    const key = `${purpose} ${network.toString('hex')}`;
    await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(tx);
  }
}
