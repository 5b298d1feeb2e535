import { addPasskey } from './add-passkey.ts';
import { confirmAuthenticator } from './confirm-authenticator.ts';
import { confirmIdentity } from './confirm-identity.ts';
import { confirmWithPasskey } from './confirm-with-passkey.ts';
import { createRecoveryCodes } from './create-recovery-codes.ts';
import { endOwnSignIn } from './end-own-sign-in.ts';
import { getSecondFactor } from './get-second-factor.ts';
import { listSignIns } from './list-sign-ins.ts';
import { removeAuthenticator } from './remove-authenticator.ts';
import { removePasskey } from './remove-passkey.ts';
import { renamePasskey } from './rename-passkey.ts';
import { startAuthenticator } from './start-authenticator.ts';
import { startConfirmation } from './start-confirmation.ts';
import { startPasskey } from './start-passkey.ts';

export const accountSecurityCalls = [
  listSignIns,
  endOwnSignIn,
  getSecondFactor,
  confirmIdentity,
  startConfirmation,
  confirmWithPasskey,
  startAuthenticator,
  confirmAuthenticator,
  removeAuthenticator,
  createRecoveryCodes,
  startPasskey,
  addPasskey,
  renamePasskey,
  removePasskey,
];
