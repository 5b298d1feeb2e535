import { endOwnSignIn } from './end-own-sign-in.ts';
import { listSignIns } from './list-sign-ins.ts';

export const accountSecurityCalls = [listSignIns, endOwnSignIn];
