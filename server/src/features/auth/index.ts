import { confirmSignUp } from './confirm-sign-up.ts';
import { getBrand } from './get-brand.ts';
import { getSession } from './get-session.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { oneTimeLogin } from './one-time-login.ts';
import { passwordReset } from './password-reset.ts';
import { refresh } from './refresh.ts';
import { requestPasswordReset } from './request-password-reset.ts';
import { signUp } from './sign-up.ts';

export const authCalls = [
  getBrand,
  login,
  oneTimeLogin,
  refresh,
  logout,
  requestPasswordReset,
  passwordReset,
  signUp,
  confirmSignUp,
  getSession,
];
