import { endOwnSignIn, listSignIns } from '@roomside/contract/account-security/calls.ts';
import { getSignIn, login, refresh } from '@roomside/contract/auth/calls.ts';
import { describe, expect, test } from 'vitest';
import { connectHub } from '../../../test/hub-client.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { buildUser } from '../../demo/builders.ts';

const app = await startTestApp({ env: { TRUST_PROXY: '1' } });
const { context, clock } = app;
const day = 24 * 3_600_000;

const windows =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0 Safari/537.36';
const phone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile Safari/604.1';

async function signInFrom(email: string, userAgent: string, address: string, remember = false): Promise<Person> {
  const person = app.anonymous();
  const headers = { 'user-agent': userAgent, 'x-forwarded-for': address };
  const { status, json } = await person.call(login, {
    body: { isPatient: false, user: { email, password, remember } },
    headers,
  });
  expect(status).toBe(200);
  if (json.signedIn) person.token = json.accessToken;
  return person;
}
const devicesOf = async (person: Person) => (await person.call(listSignIns)).json.data;

describe('signed-in devices', () => {
  test('list: has the browser, system and shortened address of each, this one first', async () => {
    const { email } = await buildUser(context, { password });
    const other = await signInFrom(email, phone, '2001:db8:77:1234::1');
    const own = await signInFrom(email, windows, '203.0.113.77');
    const devices = await devicesOf(own);
    expect(devices).toMatchObject([
      { browser: 'Chrome', system: 'Windows', network: '203.0.x.x', isThis: true },
      { browser: 'Safari', system: 'iPhone', network: '2001:db8:77:…', isThis: false },
    ]);
    expect((await devicesOf(other)).map(({ isThis }) => isThis)).toEqual([true, false]);
  });

  test('the last use: is the last renewal with activity', async () => {
    const { email } = await buildUser(context, { password });
    const [idle, used] = [
      await signInFrom(email, phone, '203.0.113.1'),
      await signInFrom(email, windows, '203.0.113.2'),
    ];
    clock.set(clock.now() + 60_000);
    await idle.call(refresh, { body: { kind: 'staff', active: false } });
    await used.call(refresh, { body: { kind: 'staff', active: true } });
    const [own, other] = await devicesOf(used);
    expect(Date.parse(own?.lastUsedAt ?? '') - Date.parse(own?.signedInAt ?? '')).toBeGreaterThanOrEqual(60_000);
    expect(other?.lastUsedAt).toBe(other?.signedInAt);
  });

  test('sign-ins that are over or were idle for too long: are left out', async () => {
    const { email } = await buildUser(context, { password });
    const remembered = await signInFrom(email, phone, '203.0.113.1', true);
    await signInFrom(email, windows, '203.0.113.2');
    clock.set(clock.now() + day / 2);
    const own = await signInFrom(email, windows, '203.0.113.3');
    expect((await devicesOf(own)).map(({ system }) => system)).toEqual(['Windows', 'iPhone']);
    expect((await remembered.call(refresh, { body: { kind: 'staff', active: true } })).json.signedIn).toBe(true);
  });

  test('sign out of another device: ends its requests, its connection and its renewal, and keeps this one', async () => {
    const { email } = await buildUser(context, { password });
    const [own, other] = [
      await signInFrom(email, windows, '203.0.113.1'),
      await signInFrom(email, phone, '203.0.113.2'),
    ];
    const hub = await connectHub(app, other);
    const target = (await devicesOf(own)).find(({ isThis }) => !isThis);
    expect((await own.call(endOwnSignIn, { params: { signInId: target?.signInId ?? 0 } })).status).toBe(204);
    expect((await other.call(getSignIn)).problem.code).toBe('sign-in-ended');
    // Pushed: the check of all connections would take ten seconds.
    await expect.poll(() => hub.closed(), { timeout: 8_000, interval: 20 }).toBeDefined();
    expect((await other.call(refresh, { body: { kind: 'staff', active: true } })).json.signedIn).toBe(false);
    expect((await own.call(getSignIn)).status).toBe(200);
    expect(await devicesOf(own)).toHaveLength(1);
  });

  test('the sign-in of another user, of a patient or one that has ended: is not found and stays as it is', async () => {
    const [a, b] = [await buildUser(context, { password }), await buildUser(context, { password })];
    const [own, victim] = [await app.signIn({ ...a, password }), await app.signIn({ ...b, password })];
    const colleague = await buildUser(context, { password, companyId: a.companyId });
    const beside = await app.signIn({ ...colleague, password });
    for (const person of [victim, beside]) {
      const [device] = await devicesOf(person);
      const { status } = await own.call(endOwnSignIn, { params: { signInId: device?.signInId ?? 0 } });
      expect(status).toBe(404);
      expect((await person.call(getSignIn)).status).toBe(200);
    }
    const second = await app.signIn({ ...a, password });
    const [device] = await devicesOf(second);
    const params = { signInId: device?.signInId ?? 0 };
    expect((await own.call(endOwnSignIn, { params })).status).toBe(204);
    expect((await own.call(endOwnSignIn, { params })).status).toBe(404);
  });
});
