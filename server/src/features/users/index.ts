import { deleteUser } from './delete-user.ts';
import { disconnectUser } from './disconnect-user.ts';
import { endUserSignIns } from './end-user-sign-ins.ts';
import { getAccount } from './get-account.ts';
import { getUser } from './get-user.ts';
import { inviteUser } from './invite-user.ts';
import { listDoctors } from './list-doctors.ts';
import { listRoles } from './list-roles.ts';
import { listUsers } from './list-users.ts';
import { resetSecondFactor } from './reset-second-factor.ts';
import { saveAccount } from './save-account.ts';
import { saveUser } from './save-user.ts';

export const userCalls = [
  listDoctors,
  getAccount,
  saveAccount,
  listRoles,
  listUsers,
  getUser,
  saveUser,
  deleteUser,
  inviteUser,
  endUserSignIns,
  resetSecondFactor,
  disconnectUser,
];
