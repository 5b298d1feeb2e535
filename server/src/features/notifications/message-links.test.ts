import { randomBytes } from 'node:crypto';
import { addMinutes } from '@roomside/contract/time.ts';
import { expect, test } from 'vitest';
import { buildGuest } from '../../../test/build-guest.ts';
import { startTestApp } from '../../../test/test-app.ts';
import { buildAppointment, buildCompany, buildPatient, buildUser } from '../../demo/builders.ts';
import { isoNow } from '../../platform/clock.ts';
import { deliverGuestLink } from '../guests/deliver-guest-link.ts';
import { deliverExportReady } from './deliver-export-ready.ts';
import { deliverLicenseMail } from './deliver-license-mail.ts';
import { deliverNotification } from './deliver-notification.ts';
import { deliverPasswordMail } from './deliver-password-mail.ts';
import type { Transports } from './delivery.ts';

const app = await startTestApp();
const { context } = app;

const sent: string[] = [];
const transports: Transports = {
  mail: async (mail) => void sent.push(mail.text),
  text: async (message) => void sent.push(message.text),
};

/** A company with that address of its pages, an administrator and a patient in the room. */
async function buildClinic(frontEndUrl: string) {
  const now = isoNow(context.clock);
  const { companyId } = await buildCompany(context, {});
  const { userId } = await buildUser(context, { companyId, role: 'A' });
  await context.db.open({ kind: 'super' }, async (tx) => {
    await tx.updateTable('companies').set({ front_end_url: frontEndUrl }).where('company_id', '=', companyId).execute();
    await tx.updateTable('users').set({ phone: '+12125550142' }).where('user_id', '=', userId).execute();
  });
  const { patientId } = await buildPatient(context, { companyId, phones: ['2125550147'] });
  const appointment = await buildAppointment(context, {
    companyId,
    patientId,
    startDate: addMinutes(now, 10),
    visit: { patientPresent: now },
  });
  const { appointmentId } = appointment;
  const { guestId } = await buildGuest(context, appointment, { contact: 'maria@example.test' });
  const company = { company_id: companyId };
  const insertNotice = (to: { patient_id: number } | { to_user_id: number }, kind: string, method: string) =>
    context.db.open({ kind: 'job', companyId }, (tx) =>
      tx
        .insertInto('notification_logs')
        .values({ ...company, ...to, appointment_id: appointmentId, kind, method, due_at: now, created_at: now })
        .returning('notification_id')
        .executeTakeFirstOrThrow(),
    );
  return {
    userId,
    notify: async (to: 'patient' | 'user', kind: string, method: string) => {
      const row = await insertNotice(to === 'user' ? { to_user_id: userId } : { patient_id: patientId }, kind, method);
      const job = { companyId, notificationId: row.notification_id };
      await deliverNotification(context, transports, job, { last: true });
    },
    inviteGuest: () => deliverGuestLink(context, transports, { companyId, guestId, number: 1 }),
    offerExport: async () => {
      const expires_at = addMinutes(now, 60);
      const { export_id: exportId } = await context.db.open({ kind: 'job', companyId }, (tx) =>
        tx
          .insertInto('data_exports')
          .values({ ...company, by_user_id: userId, requested_at: now, state: 'ready', expires_at })
          .returning('export_id')
          .executeTakeFirstOrThrow(),
      );
      await deliverExportReady(context, transports, { companyId, userId, exportId });
    },
    failRenewal: () => {
      const job = { companyId, userId, kind: 'failed', expirationDate: '2031-03-03', chargeId: null } as const;
      return deliverLicenseMail(context, transports, job, { jobId: 'x', last: true });
    },
    mailPassword: (purpose: 'reset' | 'invite') => deliverPasswordMail(context, transports, { userId, purpose }),
  };
}

type Clinic = Awaited<ReturnType<typeof buildClinic>>;

const messages: [name: string, send: (clinic: Clinic) => Promise<void>, path: string][] = [
  ['invitation by mail', ({ notify }) => notify('patient', 'invitation', 'email'), '/#/link/'],
  ['invitation by text', ({ notify }) => notify('patient', 'invitation', 'text'), '/#/link/'],
  ['arrival by mail', ({ notify }) => notify('user', 'arrival', 'email'), '/#/waiting-room'],
  ['arrival by text', ({ notify }) => notify('user', 'arrival', 'text'), '/#/waiting-room'],
  ['nudge by mail', ({ notify }) => notify('user', 'nudge', 'email'), '/#/waiting-room'],
  ['nudge by text', ({ notify }) => notify('user', 'nudge', 'text'), '/#/waiting-room'],
  ['link of a guest', ({ inviteGuest }) => inviteGuest(), '/#/guest/'],
  ['export that is ready', ({ offerExport }) => offerExport(), '/#/admin/data'],
  ['license', ({ failRenewal }) => failRenewal(), '/#/admin/payment'],
  ['new account', ({ mailPassword }) => mailPassword('invite'), '/#/reset/'],
  ['password reset', ({ mailPassword }) => mailPassword('reset'), '/#/reset/'],
];

/** The addresses in the only message that `send` sends. */
async function linksOf(send: () => Promise<void>): Promise<string[]> {
  sent.length = 0;
  await send();
  expect(sent).toHaveLength(1);
  return sent[0]?.match(/https?:\S+/g) ?? [];
}

test.each(messages)(
  '%s: its link begins with the address of the company, else with that of the installation',
  async (_, send, path) => {
    for (const [frontEndUrl, address] of [
      ['https://visits.river.test/app/', 'https://visits.river.test/app'],
      ['', context.publicUrl],
    ] as const) {
      const clinic = await buildClinic(frontEndUrl);
      const links = await linksOf(() => send(clinic));
      expect(links).toEqual([expect.stringContaining(`${address}${path}`)]);
      expect(links[0]?.startsWith(address)).toBe(true);
    }
  },
);

test('password reset of a user with a passkey: its link leads to the installation, whose pages alone use passkeys', async () => {
  const { userId, mailPassword } = await buildClinic('https://visits.river.test');
  const passkey = { credential_id: `c-${userId}`, public_key: randomBytes(16), counter: 0, name: 'Laptop' };
  await context.db.open({ kind: 'unauthenticated' }, (tx) =>
    tx
      .insertInto('passkeys')
      .values({ ...passkey, user_id: userId, created_at: isoNow(context.clock) })
      .execute(),
  );
  expect(await linksOf(() => mailPassword('reset'))).toEqual([
    expect.stringContaining(`${context.publicUrl}/#/reset/`),
  ]);
});
