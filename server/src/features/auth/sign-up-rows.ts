import type { signUp } from '@roomside/contract/auth/sign-up-calls.ts';
import type { BodyOf } from '@roomside/contract/call.ts';
import { openBytes, sealBytes } from '../../platform/envelope.ts';
import type { Keys } from '../../platform/keys.ts';

/** What a sign-up stores until its email is confirmed. */
export type SignUpValues = Omit<BodyOf<typeof signUp>['user'], 'password'> & { readonly passwordHash: string };

const placeOf = (signUpUid: string) => `sign_ups.sealed ${signUpUid}`;

export const sealSignUp = (keys: Keys, signUpUid: string, values: SignUpValues): Buffer =>
  sealBytes(keys.signUps, Buffer.from(JSON.stringify(values)), placeOf(signUpUid));

/** @throws UnreadableValue when the sign-in key was replaced since */
export const openSignUp = (keys: Keys, signUpUid: string, sealed: Buffer): SignUpValues =>
  JSON.parse(openBytes(keys.signUps, sealed, placeOf(signUpUid)).toString('utf8')) as SignUpValues;

export const hashOfEmail = (keys: Keys, email: string): Buffer => keys.mac('contact', `sign-up:${email.toLowerCase()}`);

export const hashOfLink = (keys: Keys, token: string): Buffer => keys.mac('one-time', `sign-up:${token}`);
