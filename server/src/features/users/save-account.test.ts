import { getSignIn } from '@roomside/contract/auth/calls.ts';
import { getAccount, getUser, saveAccount, saveUser } from '@roomside/contract/users/calls.ts';
import { getArrivedCount } from '@roomside/contract/waiting-room/calls.ts';
import { describe, expect, test } from 'vitest';
import { watchAudit } from '../../../test/audit-rows.ts';
import { startMailPeer } from '../../../test/message-peers.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { buildCompany, buildUser } from '../../demo/builders.ts';

const mail = await startMailPeer();
const app = await startTestApp({
  env: { SMTP_URL: mail.url, MAIL_FROM: 'Roomside <visits@roomside.test>' },
  productHashes: true,
});
const { context } = app;

async function createSignedInUser() {
  const user = await buildUser(context, { password });
  const person = await app.signIn({ email: user.email, password });
  const { json: account } = await person.call(getAccount);
  const save = (values: object) => person.call(saveAccount, { body: { ...account, ...values } });
  return { ...user, person, account, save };
}

const medianOf = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

describe('notifications of arrivals', () => {
  test('the user picks the kinds, text messages only with a phone, and sees whose arrivals an administrator has chosen', async () => {
    const { companyId } = await buildCompany(context);
    const admin = await buildUser(context, { companyId, role: 'A', password });
    const doctor = await buildUser(context, {
      companyId,
      role: 'D',
      password,
      firstName: 'Lena',
      lastName: 'Iversen',
    });
    const staff = await buildUser(context, { companyId, role: 'U', password });
    const by = await app.signIn({ email: admin.email, password });
    const params = { userId: staff.userId };
    const { json: user } = await by.call(getUser, { params });
    await by.call(saveUser, { body: { ...user, notifyForUsers: [{ userId: doctor.userId }] } });

    const person = await app.signIn({ email: staff.email, password });
    const { json: account } = await person.call(getAccount);
    expect(account).toMatchObject({
      notifyForUsers: [{ userId: doctor.userId, firstName: 'Lena', lastName: 'Iversen' }],
      notifyOfOwn: false,
    });
    const without = await person.call(saveAccount, { body: { ...account, notificationType: 2 } });
    expect([without.status, without.problem.fields]).toEqual([422, { phone: 'Required' }]);
    expect((await person.call(saveAccount, { body: { ...account, notificationType: 0 } })).status).toBe(200);
    // The rest stays with administrators, whatever is sent.
    const more = { ...account, version: account.version + 1, notifyForUsers: [] };
    expect((await person.call(saveAccount, { body: more })).status).toBe(200);
    const { json: after } = await by.call(getUser, { params });
    expect(after.notifyForUsers).toEqual([{ userId: doctor.userId }]);

    const provider = await app.signIn({ email: doctor.email, password });
    expect((await provider.call(getAccount)).json).toMatchObject({ notifyForUsers: [], notifyOfOwn: true });
  });

  test('users whose arrivals were chosen: are in the order of a directory, not of bytes', async () => {
    const { companyId } = await buildCompany(context);
    const admin = await buildUser(context, { companyId, role: 'A', password });
    const names = ['adams Zoe', 'Ávila Ann', 'de la Cruz Ann', 'de la Cruz Bo', 'Zimmer Ann'];
    const notifyForUsers: { userId: number }[] = [];
    for (const name of names.toReversed()) {
      const [firstName = '', ...lastName] = name.split(' ').reverse();
      notifyForUsers.push(await buildUser(context, { companyId, firstName, lastName: lastName.reverse().join(' ') }));
    }
    const person = await app.signIn({ email: admin.email, password });
    const { json: user } = await person.call(getUser, { params: { userId: admin.userId } });
    const chosen = notifyForUsers.map(({ userId }) => ({ userId }));
    expect((await person.call(saveUser, { body: { ...user, notifyForUsers: chosen } })).status).toBe(200);
    const { json } = await person.call(getAccount);
    expect(json.notifyForUsers.map(({ firstName, lastName }) => `${lastName} ${firstName}`)).toEqual(names);
  });
});

describe('saveAccount', () => {
  test('40 simultaneous saves with a wrong password: requests of another company stay fast', async () => {
    // The rate limit counts within a time window. The frozen clock makes it independent of the machine's speed.
    app.clock.freeze();
    const attacker = await createSignedInUser();
    const victim = await createSignedInUser();
    const waits: number[] = [];
    let isDone = false;
    const measuring = (async (person: Person) => {
      // More than ten in any case: how many fit into the attack depends on the machine. The first one begins with it.
      while (!isDone || waits.length <= 10) {
        const start = performance.now();
        const { status } = await person.call(getArrivedCount);
        expect(status).toBe(200);
        waits.push(performance.now() - start);
      }
    })(victim.person);
    const attempts = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        attacker.save({ email: `other-${i}@example.test`, currentPassword: `wrong-${i}` }),
      ),
    );
    isDone = true;
    await measuring;
    // Five passwords are checked, the others are limited. None is refused because the database is busy.
    const codes = Map.groupBy(attempts, ({ problem }) => problem.code);
    expect([...codes.keys()].sort()).toEqual(['too-many', 'wrong-password']);
    expect(codes.get('wrong-password')?.length).toBe(5);
    // 14.5 s when saves held a connection while hashing. A busy test machine stays far below the bounds.
    expect(medianOf(waits)).toBeLessThan(500);
    expect(Math.max(...waits)).toBeLessThan(5_000);
  });

  test('new email, phone or password: requires the current password; a new name does not', async () => {
    const { save, account } = await createSignedInUser();
    for (const change of [
      { email: 'new@example.test' },
      { phone: '2125550143' },
      { passwordString: 'a-new-long-one' },
    ]) {
      const response = await save(change);
      expect([change, response.status, response.problem.code]).toEqual([change, 422, 'wrong-password']);
    }
    expect((await save({ firstName: 'Nora' })).json).toEqual({ version: account.version + 1 });
  });

  test('user without a password: confirms by a fresh sign-in, and the password of another is of no use', async () => {
    const { save, userId, account } = await createSignedInUser();
    await context.db.open({ kind: 'super' }, (tx) =>
      tx.updateTable('users').set({ password_hash: null }).where('user_id', '=', userId).execute(),
    );
    expect((await save({ phone: '2125550143' })).json).toEqual({ version: account.version + 1 });
    app.clock.set(app.clock.now() + 5 * 60_000 + 1);
    const late = await save({ version: account.version + 1, phone: '2125550144', currentPassword: password });
    expect(late.problem.code).toBe('confirm-identity');
  });

  test('new email: is announced to the old address and revokes the other sign-ins', async () => {
    const { save, email, person } = await createSignedInUser();
    const otherSignIn = await app.signIn({ email, password });
    const response = await save({ email: `new-${email}`, currentPassword: password });
    expect(response.status).toBe(200);
    expect((await otherSignIn.call(getSignIn)).status).toBe(401);
    expect((await person.call(getSignIn)).status).toBe(200);
    await expect.poll(() => mail.to(email).length).toBe(1);
    expect(mail.to(email)[0]?.headers.get('subject')).toBe('Your email address was changed');
  });

  test('new password: is refused when it is easy to guess from common, personal or company words', async () => {
    const { save, email } = await createSignedInUser();
    for (const passwordString of ['Summer2026!', 'Passw0rd!', 'aaaaaaab', 'DanaDoctor1', email]) {
      const { problem } = await save({ passwordString, currentPassword: password });
      expect([passwordString, problem.code, problem.fields]).toEqual([
        passwordString,
        'common-password',
        { passwordString: expect.any(String) },
      ]);
    }
    expect((await save({ passwordString: 'three blue ferries', currentPassword: password })).status).toBe(200);
    await app.signIn({ email, password: 'three blue ferries' });
  });

  test('wrong password: is in the audit log with the user and the address', async () => {
    const { save, userId, companyId } = await createSignedInUser();
    const added = await watchAudit(app);
    await save({ email: 'x@example.test', currentPassword: 'wrong' });
    expect(await added()).toEqual([
      {
        company_id: companyId,
        actor: `D_${userId}`,
        action: 'saveAccount',
        path: '/api/account',
        objects: { refused: 'wrong-password' },
        address: '127.0.0.1',
      },
    ]);
    expect(app.logged.join('')).toContain('"reason":"wrong-password"');
  });
});
