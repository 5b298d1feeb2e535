import { login as call } from '@roomside/contract/auth/calls.ts';
import type { FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import { makeAccessToken } from '../../platform/access-token.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { Refusal } from '../../platform/refusal.ts';
import { codeLives } from '../../platform/session.ts';
import { hashCode } from '../appointments/access-code.ts';
import { readCookie, setCookie } from './cookies.ts';
import { verifyPassword } from './passwords.ts';
import { recognise } from './recognise.ts';
import { renewForAppointment } from './renew.ts';
import { type Door, signIn } from './sign-in.ts';
import { throttle } from './throttle.ts';

/** CALL-23: email and password, or a patient's access code. Unknown and wrong look the same and take the same time. */
export const login = forAnyone(call, async (input) => {
  const { isPatient, user } = input.body;
  return isPatient
    ? withCode(input, user.email.trim())
    : withPassword(input, user.email, user.password ?? '', user.remember ?? false);
});

async function withPassword(door: Door, email: string, password: string, remember: boolean) {
  const { context } = door;
  const attempts = await throttle(context, [
    { scope: 'account', subject: `${email.trim().toLowerCase()} ${door.address}` },
    { scope: 'email', subject: email.trim().toLowerCase() },
    { scope: 'address', subject: door.address },
  ]);
  const known = await context.db.open({ kind: 'door' }, async (tx) => {
    const { rows } = await sql<{ user_id: number; password_hash: string | null; shut: 'user' | 'company' | null }>`
      select * from door_user(${email.trim()})`.execute(tx);
    return rows[0];
  });
  const right = await verifyPassword(password, known?.password_hash);
  if (!right || !known || known.shut === 'user') throw new Refusal('wrong-credentials');
  if (known.shut === 'company') throw new Refusal('company-disabled');
  const signedIn = await context.db.open({ kind: 'door' }, async (tx) => {
    // Checking took a while: a password that was changed meanwhile lets nobody in.
    const { rows } = await sql<{
      password_hash: string | null;
    }>`select password_hash from door_user(${email.trim()})`.execute(tx);
    if (rows[0]?.password_hash !== known.password_hash) throw new Refusal('wrong-credentials');
    return signIn(tx, door, { kind: 'staff', userId: known.user_id }, remember, 'login');
  });
  await attempts.forgive();
  return signedIn;
}

async function withCode(door: Door & { request: FastifyRequest }, typed: string) {
  const { context, now } = door;
  const [code = '', proof] = typed.split('-');
  const attempts = await throttle(context, [
    { scope: 'code-address', subject: door.address },
    { scope: 'code-global', subject: 'all' },
  ]);
  const proven = proof !== undefined && (await recognise(door, code, proof));
  const signedIn = await context.db.open({ kind: 'door' }, async (tx) => {
    const { rows } = await sql<{
      appointment_id: number;
      company_id: number;
      patient_id: number;
      shut: 'company' | null;
      guarded: boolean;
    }>`
      select * from door_code(${hashCode(context.keys, code)}, ${now}, ${codeLives})`.execute(tx);
    const found = rows[0];
    if (!found || (found.guarded && !proven)) throw new Refusal('wrong-code');
    if (found.shut) throw new Refusal('company-disabled');
    const entrant = { companyId: found.company_id, patientId: found.patient_id, appointmentId: found.appointment_id };
    // The link opened again in the same browser is the same device: the newer tab then takes the room over.
    const again = await renewForAppointment(
      tx,
      context,
      readCookie(context, door.request, 'patient'),
      found.appointment_id,
      now,
    );
    if (!again) return signIn(tx, door, { kind: 'patient', ...entrant }, false, 'login');
    setCookie(context, door.reply, 'patient', again.refreshToken, again.remember);
    return { signedIn: true as const, accessToken: await makeAccessToken(context, again.caller) };
  });
  await attempts.forgive();
  return signedIn;
}
