import {
  addPasskey,
  confirmIdentity,
  confirmWithPasskey,
  getSecondFactor,
  removePasskey,
  renamePasskey,
  startAuthenticator,
  startConfirmation,
  startPasskey,
} from '@roomside/contract/account-security/calls.ts';
import { getSignIn, login } from '@roomside/contract/auth/calls.ts';
import { completeSignInWithPasskey, passkeySignIn, startPasskeySignIn } from '@roomside/contract/auth/passkey-calls.ts';
import { erasePatient, getPatient } from '@roomside/contract/patients/calls.ts';
import { getAccount, saveAccount } from '@roomside/contract/users/calls.ts';
import { describe, expect, test } from 'vitest';
import { createSoftwarePasskey } from '../../../test/software-passkey.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { buildPatient, buildUser } from '../../demo/builders.ts';

const app = await startTestApp();
const { context, clock } = app;
clock.freeze();
const minute = 60_000;

const challengeOf = (options: Record<string, unknown>) => String(options['challenge']);

/** A signed-in user whose identity is confirmed. */
async function createUser(values: Parameters<typeof buildUser>[1] = {}) {
  const user = await buildUser(context, { ...values, password });
  const person = await app.signIn({ email: user.email, password });
  await person.call(confirmIdentity, { body: { currentPassword: password } });
  return { ...user, person };
}
const challengeToAdd = async (person: Person) => challengeOf((await person.call(startPasskey)).json.options);
const add = async (person: Person, passkey = createSoftwarePasskey()) => {
  const body = { name: 'Laptop', response: passkey.register(await challengeToAdd(person)) };
  return { passkey, answer: await person.call(addPasskey, { body }) };
};
async function userWithPasskey(values: Parameters<typeof buildUser>[1] = {}) {
  const user = await createUser(values);
  const { passkey, answer } = await add(user.person);
  expect(answer.status).toBe(200);
  return { ...user, passkey, passkeyId: answer.json.passkeyId };
}

const challengeToSignIn = async (ticket?: string) =>
  challengeOf((await app.anonymous().call(startPasskeySignIn, { body: ticket ? { ticket } : {} })).json.options);
type Passkey = ReturnType<typeof createSoftwarePasskey>;
const use = (response: ReturnType<Passkey['assert']>, person = app.anonymous()) =>
  person.call(passkeySignIn, { body: { response, remember: false } });

async function ticketOf(email: string): Promise<string> {
  const { json } = await app.anonymous().call(login, { body: { isPatient: false, user: { email, password } } });
  if (json.signedIn) throw new Error('No second factor was asked for.');
  return json.ticket;
}
const complete = (ticket: string, response: ReturnType<Passkey['assert']>) =>
  app.anonymous().call(completeSignInWithPasskey, { body: { ticket, response, trustDevice: false } });

describe('passkey as the only factor', () => {
  test('signs its user in without email and password, also an administrator of the installation', async () => {
    for (const companyId of [undefined, null]) {
      const { passkey, userId } = await userWithPasskey(companyId === undefined ? {} : { companyId });
      const person = app.anonymous();
      const { status, json } = await use(passkey.assert(await challengeToSignIn()), person);
      expect(status).toBe(200);
      person.token = json.accessToken;
      expect((await person.call(getSignIn)).json.userId).toBe(userId);
    }
  });

  test('a challenge: works once, for five minutes, and not one for adding a passkey', async () => {
    const { passkey, person } = await userWithPasskey();
    const signed = passkey.assert(await challengeToSignIn());
    expect((await use(signed)).status).toBe(200);
    expect((await use(signed)).problem.code).toBe('wrong-passkey');
    const late = await challengeToSignIn();
    clock.set(clock.now() + 5 * minute);
    expect((await use(passkey.assert(late))).problem.code).toBe('wrong-passkey');
    await person.call(confirmIdentity, { body: { currentPassword: password } });
    expect((await use(passkey.assert(await challengeToAdd(person)))).problem.code).toBe('wrong-passkey');
    expect((await use(passkey.assert('made-up'))).problem.code).toBe('wrong-passkey');
  });

  test('a copy, another page, an unverified user or another key: is refused', async () => {
    const { passkey } = await userWithPasskey();
    const tried = [
      passkey.assert(await challengeToSignIn(), { counter: 1 }),
      passkey.assert(await challengeToSignIn(), { origin: 'https://evil.example' }),
      passkey.assert(await challengeToSignIn(), { verified: false }),
      { ...createSoftwarePasskey().assert(await challengeToSignIn()), id: passkey.assert('').id },
      createSoftwarePasskey().assert(await challengeToSignIn()),
    ];
    for (const response of tried) expect((await use(response)).problem.code).toBe('wrong-passkey');
    expect((await use(passkey.assert(await challengeToSignIn()))).status).toBe(200);
  });

  test('passkey that was removed, or of a disabled user: is refused', async () => {
    const removed = await userWithPasskey();
    expect((await removed.person.call(removePasskey, { params: { passkeyId: removed.passkeyId } })).status).toBe(204);
    expect((await use(removed.passkey.assert(await challengeToSignIn()))).problem.code).toBe('wrong-passkey');
    const disabled = await userWithPasskey();
    await context.db.open({ kind: 'super' }, (tx) =>
      tx.updateTable('users').set({ disabled: true }).where('user_id', '=', disabled.userId).execute(),
    );
    expect((await use(disabled.passkey.assert(await challengeToSignIn()))).status).toBe(401);
  });
});

describe('passkey as the second step', () => {
  test('completes the ticket of its user, once', async () => {
    const { email, passkey } = await userWithPasskey();
    const ticket = await ticketOf(email);
    const signed = passkey.assert(await challengeToSignIn(ticket));
    expect((await complete(ticket, signed)).status).toBe(200);
    expect((await complete(ticket, signed)).problem.code).toBe('sign-in-expired');
  });

  test('another user’s passkey, and a challenge without or for another ticket: are refused', async () => {
    const [victim, other] = [await userWithPasskey(), await userWithPasskey()];
    const ticket = await ticketOf(victim.email);
    const theirs = await ticketOf(other.email);
    const tried = [
      other.passkey.assert(await challengeToSignIn(ticket)),
      victim.passkey.assert(await challengeToSignIn()),
      victim.passkey.assert(await challengeToSignIn(theirs)),
    ];
    for (const response of tried) expect((await complete(ticket, response)).problem.code).toBe('wrong-second-factor');
    expect((await complete(ticket, victim.passkey.assert(await challengeToSignIn(ticket)))).status).toBe(200);
    // The challenge of a ticket does not sign in alone.
    const second = await ticketOf(victim.email);
    expect((await use(victim.passkey.assert(await challengeToSignIn(second)))).problem.code).toBe('wrong-passkey');
  });
});

describe('passkeys of an account', () => {
  test('several passkeys: are listed, renamed and removed by their user only', async () => {
    const { person, passkeyId } = await userWithPasskey();
    const second = (await add(person)).answer.json.passkeyId;
    await person.call(renamePasskey, { params: { passkeyId: second }, body: { name: ' Security key ' } });
    const listed = async () => (await person.call(getSecondFactor)).json.passkeys.map(({ name }) => name);
    expect(await listed()).toEqual(['Laptop', 'Security key']);
    const { companyId } = await buildUser(context);
    const stranger = await createUser({ companyId: companyId ?? 0 });
    const params = { passkeyId };
    expect((await stranger.person.call(removePasskey, { params })).status).toBe(404);
    expect((await stranger.person.call(renamePasskey, { params, body: { name: 'Mine' } })).status).toBe(404);
    expect((await person.call(removePasskey, { params })).status).toBe(204);
    expect(await listed()).toEqual(['Security key']);
  });

  test('adding: needs a challenge for this user, used once, and the right page', async () => {
    const [own, other] = [await createUser(), await createUser()];
    const tryToAdd = (challenge: string, wish = {}) =>
      own.person.call(addPasskey, {
        body: { name: 'Laptop', response: createSoftwarePasskey().register(challenge, wish) },
      });
    expect((await tryToAdd(await challengeToAdd(other.person))).problem.code).toBe('wrong-passkey');
    expect((await tryToAdd(await challengeToSignIn())).problem.code).toBe('wrong-passkey');
    const challenge = await challengeToAdd(own.person);
    expect((await tryToAdd(challenge, { origin: 'https://evil.example' })).problem.code).toBe('wrong-passkey');
    expect((await tryToAdd(challenge)).problem.code).toBe('wrong-passkey');
    expect((await tryToAdd(await challengeToAdd(own.person))).status).toBe(200);
  });
});

describe('passkey instead of the password', () => {
  const challengeFor = async (person: Person) => challengeOf((await person.call(startConfirmation)).json.options);
  const confirmBy = (person: Person, response: ReturnType<Passkey['assert']>) =>
    person.call(confirmWithPasskey, { body: { response } });
  const forgetPassword = (userId: number) =>
    context.db.open({ kind: 'super' }, (tx) =>
      tx.updateTable('users').set({ password_hash: null }).where('user_id', '=', userId).execute(),
    );

  test('permits changes for five minutes, also to a user without a password', async () => {
    const { person, passkey, userId } = await userWithPasskey();
    await forgetPassword(userId);
    clock.set(clock.now() + 5 * minute + 1);
    expect((await person.call(getSecondFactor)).json).toMatchObject({ hasPassword: false });
    expect((await person.call(startAuthenticator)).problem.code).toBe('confirm-identity');
    expect((await confirmBy(person, passkey.assert(await challengeFor(person)))).status).toBe(204);
    expect((await person.call(startAuthenticator)).status).toBe(200);
    clock.set(clock.now() + 4 * minute);
    expect((await person.call(startAuthenticator)).status).toBe(200);
  });

  test('permits an erasure and a new contact to a user without a password', async () => {
    const { person, passkey, userId, companyId, email } = await userWithPasskey({ role: 'A' });
    await forgetPassword(userId);
    const { patientId } = await buildPatient(context, { companyId: companyId ?? 0 });
    const { json: account } = await person.call(getAccount);
    const phone = '2125550188';
    const changes = [
      () => person.call(erasePatient, { params: { patientId }, body: { reason: 'asked' } }),
      () => person.call(saveAccount, { body: { ...account, phone } }),
    ];
    clock.set(clock.now() + 5 * minute + 1);
    for (const change of changes) expect((await change()).problem.code).toBe('confirm-identity');
    expect((await confirmBy(person, passkey.assert(await challengeFor(person)))).status).toBe(204);
    for (const change of changes) expect((await change()).status).toBeLessThan(300);
    expect((await person.call(getAccount)).json).toMatchObject({ email, phone });
    expect((await person.call(getPatient, { params: { patientId } })).status).toBe(404);
  });

  test('a challenge: works once, for its user, and not one to sign in; nor does it sign in', async () => {
    const { person, passkey } = await userWithPasskey();
    const other = await userWithPasskey();
    const signed = passkey.assert(await challengeFor(person));
    expect((await confirmBy(person, signed)).status).toBe(204);
    for (const wrong of [
      signed,
      passkey.assert(await challengeToSignIn()),
      passkey.assert(await challengeFor(other.person)),
      other.passkey.assert(await challengeFor(person)),
    ])
      expect((await confirmBy(person, wrong)).problem.code).toBe('wrong-passkey');
    expect((await use(passkey.assert(await challengeFor(person)))).problem.code).toBe('wrong-passkey');
  });

  test('user without a passkey: gets no challenge; a user without a password confirms by a new sign-in', async () => {
    const { person, email, userId } = await createUser();
    expect((await person.call(startConfirmation)).problem.code).toBe('no-second-factor');
    const fresh = await app.signIn({ email, password });
    await forgetPassword(userId);
    expect((await fresh.call(startAuthenticator)).status).toBe(200);
    clock.set(clock.now() + 6 * minute);
    expect((await fresh.call(startAuthenticator)).problem.code).toBe('confirm-identity');
  });
});

describe('others in the network of a clinic', () => {
  test('others that ask for many challenges: known devices and sign-ins that have begun get theirs', async () => {
    const { email, person, passkey } = await userWithPasskey();
    const ticket = await ticketOf(email);
    const start = (by: Person, body = {}) => by.call(startPasskeySignIn, { body });
    for (let i = 0; i < 60; i += 1) await start(app.anonymous());
    const statuses = async () => [
      (await start(app.anonymous())).status,
      (await start(app.anonymous(), { ticket: 'made-up' })).status,
      (await start(person)).status,
    ];
    expect(await statuses()).toEqual([429, 429, 200]);
    expect((await complete(ticket, passkey.assert(await challengeToSignIn(ticket)))).status).toBe(200);
    // A device and a ticket have the same limit.
    for (let i = 0; i < 60; i += 1) await start(person);
    expect((await start(person)).status).toBe(429);
    const second = await ticketOf(email);
    for (let i = 0; i < 60; i += 1) await start(app.anonymous(), { ticket: second });
    expect((await start(app.anonymous(), { ticket: second })).status).toBe(429);
    clock.set(clock.now() + minute);
    expect(await statuses()).toEqual([200, 401, 200]);
  });

  test('others that try wrong passkeys: a right one still signs in', async () => {
    clock.set(clock.now() + 15 * minute);
    const { passkey } = await userWithPasskey();
    const wrong = async () => (await use(passkey.assert('made-up'))).problem.code;
    const codes = [];
    for (let i = 0; i < 21; i += 1) codes.push(await wrong());
    expect(codes).toEqual([...Array(20).fill('wrong-passkey'), 'too-many']);
    expect((await use(passkey.assert(await challengeToSignIn()))).status).toBe(200);
    // A right one takes nothing back of what others have tried.
    expect(await wrong()).toBe('too-many');
  });
});
