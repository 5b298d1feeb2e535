import { completeSignIn } from './complete-sign-in.ts';
import { completeSignInWithPasskey } from './complete-sign-in-with-passkey.ts';
import { confirmSignUp } from './confirm-sign-up.ts';
import { getBrand } from './get-brand.ts';
import { getSignIn } from './get-sign-in.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { oneTimeLogin } from './one-time-login.ts';
import { passkeySignIn } from './passkey-sign-in.ts';
import { passwordReset } from './password-reset.ts';
import { refresh } from './refresh.ts';
import { requestPasswordReset } from './request-password-reset.ts';
import { signUp } from './sign-up.ts';
import { startPasskeySignIn } from './start-passkey-sign-in.ts';

export const authCalls = [
  getBrand,
  login,
  oneTimeLogin,
  completeSignIn,
  completeSignInWithPasskey,
  startPasskeySignIn,
  passkeySignIn,
  refresh,
  logout,
  requestPasswordReset,
  passwordReset,
  signUp,
  confirmSignUp,
  getSignIn,
];
