import { continueExternalSignIn } from './continue-external-sign-in.ts';
import { finishExternalSignIn } from './finish-external-sign-in.ts';
import { startExternalSignIn } from './start-external-sign-in.ts';

export const externalSignInCalls = [startExternalSignIn, finishExternalSignIn, continueExternalSignIn];
