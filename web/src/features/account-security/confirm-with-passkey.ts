import { confirmWithPasskey as call, startConfirmation } from '@roomside/contract/account-security/calls.ts';
import { startAuthentication } from '@simplewebauthn/browser';
import { send } from '../../api/send.ts';

/** Proves by a passkey of this device that the user is present. */
export async function confirmWithPasskey(): Promise<void> {
  const { options } = await send(startConfirmation);
  const response = await startAuthentication({
    optionsJSON: options as unknown as Parameters<typeof startAuthentication>[0]['optionsJSON'],
  });
  await send(call, { body: { response: { ...response, clientExtensionResults: {} } } });
}
