import { type SignedIn } from '@roomside/contract/auth/calls.ts';
import { completeSignInWithPasskey, passkeySignIn, startPasskeySignIn } from '@roomside/contract/auth/passkey-calls.ts';
import { startAuthentication } from '@simplewebauthn/browser';
import { send } from '../../api/send.ts';

/** Asks for a passkey of this device: as the second step of a ticket, or as the only step. */
async function askDevice(ticket?: string) {
  const { options } = await send(startPasskeySignIn, { body: ticket === undefined ? {} : { ticket } });
  const response = await startAuthentication({
    optionsJSON: options as unknown as Parameters<typeof startAuthentication>[0]['optionsJSON'],
  });
  return { ...response, clientExtensionResults: {} };
}

/** Signs in with a passkey alone. */
export async function signInWithPasskey(remember: boolean): Promise<SignedIn> {
  return send(passkeySignIn, { body: { response: await askDevice(), remember } });
}

/** Completes a sign-in with a passkey. */
export async function completeWithPasskey(ticket: string, trustDevice: boolean): Promise<SignedIn> {
  return send(completeSignInWithPasskey, { body: { ticket, response: await askDevice(ticket), trustDevice } });
}
