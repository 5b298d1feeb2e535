import { startAuthenticator } from '@roomside/contract/account-security/calls.ts';
import { getSignIn, login, logout, oneTimeLogin, requestPasswordReset } from '@roomside/contract/auth/calls.ts';
import { passkeySignIn, startPasskeySignIn } from '@roomside/contract/auth/passkey-calls.ts';
import { confirmSignUp, signUp } from '@roomside/contract/auth/sign-up-calls.ts';
import { bookSlot, holdSlot, listBookingSlots } from '@roomside/contract/booking/calls.ts';
import { holdsPerMinute, slotsPerMinute } from '@roomside/contract/limits.ts';
import { listPatients } from '@roomside/contract/patients/calls.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { type AuditRow, auditRows, watchAudit } from '../../../test/audit-rows.ts';
import { createSoftwarePasskey } from '../../../test/software-passkey.ts';
import { password, startTestApp } from '../../../test/test-app.ts';
import { allowSignUp, buildCompany, buildUser } from '../../demo/builders.ts';
import { isoNow } from '../../platform/clock.ts';
import { hashOfEmail, hashOfLink, sealSignUp } from './sign-up-rows.ts';

const app = await startTestApp({ env: { TRUST_PROXY: '1' } });
const { context, clock } = app;
clock.freeze();
await allowSignUp(context, ['127.0.0.1']);

let turn = 0;
let address: string;
beforeEach(() => {
  turn += 1;
  address = `198.51.100.${turn}`;
});
const from = () => ({ headers: { 'x-forwarded-for': address } });

/** What was refused, without repeats. */
const refusedIn = (rows: readonly AuditRow[]) => [
  ...new Set(
    rows.filter(({ objects }) => 'refused' in objects).map((row) => `${row.action} ${row.objects['refused']}`),
  ),
];

describe('a stranger', () => {
  const companyUid = '0123456789abcdef0123456789abcdef';
  const contact = { firstName: 'Ada', lastName: 'Abel', doB: '1990-05-17', phone: '', email: 'ada@example.test' };
  const account = {
    companyName: 'Harbor Family Care',
    timeZone: 'America/Denver',
    firstName: 'Noor',
    lastName: 'Haddad',
    phone: '2125550142',
    password,
  };
  const repeat = async (times: number, work: (i: number) => Promise<{ status: number }>) => {
    let last = 0;
    for (let i = 0; i < times; i += 1) last = (await work(i)).status;
    return last;
  };
  const stranger = app.anonymous();

  test.each([
    ['requestPasswordReset', 4, () => stranger.call(requestPasswordReset, { body: { email: 'a@b.test' }, ...from() })],
    ['startPasskeySignIn', 61, () => stranger.call(startPasskeySignIn, { body: {}, ...from() })],
    ['signUp', 6, () => stranger.call(signUp, { body: { user: { ...account, email: 'n@example.test' } }, ...from() })],
    [
      'listBookingSlots',
      slotsPerMinute + 1,
      () =>
        stranger.call(listBookingSlots, {
          params: { companyUid },
          query: { from: '2031-03-03', to: '2031-03-04', doctorId: 0 },
          ...from(),
        }),
    ],
    [
      'holdSlot',
      holdsPerMinute + 1,
      () =>
        stranger.call(holdSlot, {
          params: { companyUid },
          body: { holder: '0'.repeat(32), doctorId: 1, startDate: '2031-03-04T14:00:00Z' },
          ...from(),
        }),
    ],
    [
      'bookSlot',
      11,
      () =>
        stranger.call(bookSlot, { params: { companyUid }, body: { ...contact, holdUid: '0'.repeat(32) }, ...from() }),
    ],
  ])('%s too often: has a row with the address, and nothing that was typed', async (action, times, work) => {
    const added = await watchAudit(app);
    expect(await repeat(times, work)).toBe(429);
    const refused = (await added()).filter(({ objects }) => objects['refused'] === 'too-many');
    expect(refused[0]).toMatchObject({ company_id: null, actor: 'unknown', action, address });
    expect(Object.keys(refused[0]?.objects ?? {}).filter((key) => key !== 'count')).toEqual(['refused']);
    expect(app.logged.some((line) => line.includes('"too-many"') && line.includes(action))).toBe(true);
  });

  test('an unknown clinic: has no row, since addresses of clinics are public', async () => {
    const added = await watchAudit(app);
    const query = { from: '2031-03-03', to: '2031-03-04', doctorId: 0 };
    expect((await stranger.call(listBookingSlots, { params: { companyUid }, query, ...from() })).status).toBe(404);
    expect(await added()).toEqual([]);
  });

  test('unknown links, tickets and passkeys: have a row each, of the call', async () => {
    const added = await watchAudit(app);
    await stranger.call(oneTimeLogin, { body: { token: 'x'.repeat(32) }, ...from() });
    await stranger.call(startPasskeySignIn, { body: { ticket: 'x'.repeat(32) }, ...from() });
    const response = createSoftwarePasskey().assert(Buffer.from('challenge').toString('base64url'));
    await stranger.call(passkeySignIn, { body: { response, remember: false }, ...from() });
    expect(refusedIn(await added())).toEqual([
      'oneTimeLogin link-used',
      'startPasskeySignIn sign-in-expired',
      'passkeySignIn wrong-passkey',
    ]);
  });

  test('a sign-up confirmed with a wrong password: has a row', async () => {
    const token = 'y'.repeat(32);
    const [uid, now, email] = ['a'.repeat(32), isoNow(clock), 'noor@example.test'];
    const passwordHash = await context.passwords.hash(password, 'known');
    await context.db.open({ kind: 'unauthenticated' }, (tx) =>
      tx
        .insertInto('sign_ups')
        .values({
          sign_up_uid: uid,
          token_hash: hashOfLink(context.keys, token),
          sealed: sealSignUp(context.keys, uid, { ...account, email, passwordHash }),
          email_hash: hashOfEmail(context.keys, email),
          created_at: now,
          expires_at: new Date(clock.now() + 3_600_000).toISOString(),
        })
        .execute(),
    );
    const added = await watchAudit(app);
    const refused = await stranger.call(confirmSignUp, { body: { token, password: 'not-the-one' }, ...from() });
    expect(refused.problem.code).toBe('wrong-password');
    expect(await added()).toMatchObject([
      { actor: 'unknown', action: 'confirmSignUp', objects: { refused: 'wrong-password' }, address },
    ]);
  });

  test('a sign-in with a wrong password, and beyond the limit: has one row each, of the account', async () => {
    const { email, userId, companyId } = await buildUser(context, { password });
    const before = await watchAudit(app);
    const statuses = [];
    for (let i = 0; i < 6; i += 1) {
      const body = { isPatient: false, user: { email, password: 'wrong' } };
      statuses.push((await stranger.call(login, { body, ...from() })).status);
    }
    expect(statuses.at(-1)).toBe(429);
    const rows = await before();
    expect(refusedIn(rows)).toEqual(['login wrong-credentials', 'login too-many']);
    for (const row of rows) expect(row).toMatchObject({ actor: `user_${userId}`, company_id: companyId, address });
  });
});

test('the request of a password reset: has a row with the address, and the same answer for an unknown email', async () => {
  const { email, userId, companyId } = await buildUser(context, { password });
  const added = await watchAudit(app);
  const ask = (typed: string) => app.anonymous().call(requestPasswordReset, { body: { email: typed }, ...from() });
  const [known, unknown] = [await ask(email), await ask('stranger@example.test')];
  expect([known.status, known.text]).toEqual([unknown.status, unknown.text]);
  const row = { action: 'requestPasswordReset', path: '/api/auth/password-reset-request', objects: {}, address };
  expect(await added()).toMatchObject([
    { ...row, path: expect.any(String), actor: `user_${userId}`, company_id: companyId },
    { ...row, path: expect.any(String), actor: 'unknown', company_id: null },
  ]);
  expect(JSON.stringify(await auditRows(app))).not.toContain('stranger@example.test');
});

describe('a signed-in person', () => {
  const listed = { query: { top: 5, skip: 0 } };

  test('request with a sign-in that has ended: has a row with the person and the address', async () => {
    const { email, userId, companyId } = await buildUser(context, { password, role: 'D' });
    const person = await app.signIn({ email, password });
    await person.call(logout, { body: { kind: 'staff' } });
    const added = await watchAudit(app);
    expect((await person.call(getSignIn, from())).problem.code).toBe('sign-in-ended');
    expect(await added()).toMatchObject([
      {
        company_id: companyId,
        actor: `D_${userId}`,
        action: 'getSignIn',
        objects: { refused: 'sign-in-ended' },
        address,
      },
    ]);
  });

  test('request without the required confirmation, license or second factor: has a row for each refusal', async () => {
    const { companyId } = await buildCompany(context, { timeZone: 'UTC' });
    const { email, userId } = await buildUser(context, { companyId, password, role: 'U' });
    const person = await app.signIn({ email, password });
    const added = await watchAudit(app);
    const change = (values: object) =>
      context.db.open({ kind: 'super' }, (tx) =>
        tx.updateTable('companies').set(values).where('company_id', '=', companyId).execute(),
      );
    const day = isoNow(clock).slice(0, 10);
    expect((await person.call(startAuthenticator)).problem.code).toBe('confirm-identity');
    await change({ second_factor_from: day });
    expect((await person.call(listPatients, listed)).problem.code).toBe('second-factor-required');
    await change({ second_factor_from: null, expiration_date: day });
    expect((await person.call(listPatients, listed)).problem.code).toBe('license-expired');
    const rows = await added();
    expect(refusedIn(rows)).toEqual([
      'startAuthenticator confirm-identity',
      'listPatients second-factor-required',
      'listPatients license-expired',
    ]);
    for (const row of rows) expect(row).toMatchObject({ actor: `U_${userId}`, company_id: companyId });
  });
});
