import { erasePatient as call } from '@roomside/contract/patients/calls.ts';
import { requireConfirmed } from '../../platform/confirmed.ts';
import { becomeJob } from '../../platform/database/database.ts';
import { deleteBlobs } from '../../platform/delete-blobs.ts';
import { recheckSignIns } from '../../platform/end-sign-ins.ts';
import { forUsersInSteps } from '../../platform/http/handler.ts';
import { fieldRefusal, notFound, type Refusal } from '../../platform/refusal.ts';
import { throttle } from '../../platform/throttle.ts';
import { erasePatient as eraseRecords } from '../records/erase-patient.ts';

/**
 * Erases a patient on request, with the current password, or confirmed by a user without one: an unattended page must not erase
 * anyone. The reason is one of a list, since what is written into the audit log stays there.
 */
export const erasePatient = forUsersInSteps(call, async ({ context, params, body, now, look, commit, touched }) => {
  const { patientId } = params;
  const { userId, hash } = await look(async (tx, caller) => {
    if (caller.kind !== 'staff') throw notFound();
    const { userId } = caller;
    const patient = await tx
      .selectFrom('patients')
      .select('patient_id')
      .where('patient_id', '=', patientId)
      .where('merged_into', 'is', null)
      .executeTakeFirst();
    if (!patient) throw notFound();
    const user = tx.selectFrom('users').select('password_hash').where('user_id', '=', userId);
    const { password_hash: hash } = await user.executeTakeFirstOrThrow();
    if (hash === null) await requireConfirmed(tx, caller, now);
    return { userId, hash };
  });
  if (hash !== null) {
    const attempts = await throttle(context, [{ scope: 'device', subject: `own account ${userId}` }]);
    if (!(await context.passwords.verify(body.currentPassword ?? '', hash, 'known'))) throw wrongPassword();
    await attempts.forgive();
  }
  return commit(async (tx, caller, afterCommit) => {
    if (caller.kind !== 'staff') throw notFound();
    const { companyId } = caller;
    touched('reason', body.reason);
    // Chat messages are changed by jobs only.
    await becomeJob(tx);
    const blobs = await eraseRecords(tx, companyId, patientId, now);
    recheckSignIns({ tx, context }, { patientId });
    afterCommit(() => {
      deleteBlobs(
        context,
        'file',
        companyId,
        blobs.map(({ uid }) => uid),
      );
      context.push.schedule(companyId);
    });
    return undefined;
  });
});

function wrongPassword(): Refusal {
  return fieldRefusal('wrong-password', 'currentPassword');
}
