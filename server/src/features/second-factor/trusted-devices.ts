import { trustedDeviceDays } from '@roomside/contract/limits.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { Keys } from '../../platform/keys.ts';

/** A browser in which a user has signed in before (auth/known-devices.ts). */
interface Device {
  readonly userId: number;
  readonly deviceId: string;
}

const hashOf = (keys: Keys, { userId, deviceId }: Device) => keys.mac('trust', `${userId}:${deviceId}`);

/** From now on a password alone signs the user in in this browser, for {@link trustedDeviceDays} days. */
export async function trustDevice(tx: Tx, keys: Keys, device: Device, now: string): Promise<void> {
  const expires_at = new Date(Date.parse(now) + trustedDeviceDays * 86_400_000).toISOString();
  await tx
    .insertInto('trusted_devices')
    .values({ user_id: device.userId, device_hash: hashOf(keys, device), expires_at })
    .onConflict((conflict) => conflict.columns(['user_id', 'device_hash']).doUpdateSet({ expires_at }))
    .execute();
}

export async function isTrusted(tx: Tx, keys: Keys, device: Device, now: string): Promise<boolean> {
  const row = await tx
    .selectFrom('trusted_devices')
    .select('user_id')
    .where('user_id', '=', device.userId)
    .where('device_hash', '=', hashOf(keys, device))
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row !== undefined;
}
