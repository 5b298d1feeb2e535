import { login } from '@roomside/contract/auth/calls.ts';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectHub } from '../../../test/hub-client.ts';
import { password, startTestApp } from '../../../test/test-app.ts';
import { buildAppointment, buildUser } from '../../demo/builders.ts';
import { trustedHops } from './proxies.ts';

const bare = await startTestApp();
const behind = await startTestApp({ env: { TRUST_PROXY: '1' } });

async function addresses(app: typeof bare): Promise<string[]> {
  const client = new pg.Client(app.database.owner);
  await client.connect();
  const { rows } = await client.query<{ address: string }>('select distinct address from audit_log');
  await client.end();
  return rows.map((row) => row.address);
}

describe('client address', () => {
  test('X-Forwarded-For: counts only with TRUST_PROXY, for the audit log and the rate limit', async () => {
    // The client may send any header. The proxy appends the address that it saw.
    const from = (address: string) => ({ headers: { 'x-forwarded-for': `198.51.100.1, ${address}` } });
    for (const [app, recorded] of [
      [bare, '127.0.0.1'],
      [behind, '203.0.113.7'],
    ] as const) {
      onTestFinished(app.clock.freeze());
      const { email } = await buildUser(app.context, { password });
      const attempt = (user: { email: string; password: string }, address: string) =>
        app.anonymous().call(login, { body: { isPatient: false, user }, ...from(address) });
      expect((await attempt({ email, password }, '203.0.113.7')).status).toBe(200);
      expect(await addresses(app)).toEqual([recorded]);
      for (let i = 0; i < 20; i += 1) await attempt({ email: `no${i}@example.test`, password }, '203.0.113.7');
      const again = { email: 'another@example.test', password };
      expect((await attempt(again, '203.0.113.7')).status).toBe(429);
      expect((await attempt(again, '203.0.113.8')).status).toBe(app === bare ? 429 : 401);
    }
  });

  test('X-Forwarded-For: counts for hub connections', async () => {
    const { accessCode, appointmentUid } = await buildAppointment(behind.context);
    const patient = await behind.signInPatient(accessCode);
    const hub = await connectHub(behind, patient, { 'x-forwarded-for': '203.0.113.9' });
    await hub.subscribe(appointmentUid);
    expect(await addresses(behind)).toContain('203.0.113.9');
  });
});

test('trustedHops: accepts addresses and networks; a text that is no address is not trusted', () => {
  const isTrusted = trustedHops({ TRUST_PROXY: ['10.0.0.0/8', '::1'] });
  const asked = ['10.1.2.3', '::ffff:10.1.2.3', '::1', '11.1.2.3', '::2', 'unknown', ''];
  expect(asked.map((address) => isTrusted(address, 0))).toEqual([true, true, true, false, false, false, false]);
  expect(trustedHops({ TRUST_PROXY: null })('127.0.0.1', 0)).toBe(false);
});
