import { addPasskey, startPasskey } from '@roomside/contract/account-security/calls.ts';
import { startRegistration } from '@simplewebauthn/browser';
import { send } from '../../api/send.ts';

/** Creates a passkey on this device, or on one that the browser offers, and adds it to the account. */
export async function createPasskey(name: string): Promise<true> {
  const { options } = await send(startPasskey);
  const response = await startRegistration({
    optionsJSON: options as unknown as Parameters<typeof startRegistration>[0]['optionsJSON'],
  });
  await send(addPasskey, { body: { name, response: { ...response, clientExtensionResults: {} } } });
  return true;
}
