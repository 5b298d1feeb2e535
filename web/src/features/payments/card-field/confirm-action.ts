import { isolatedFrames } from '@roomside/contract/isolated-frames.ts';
import type { ProcessorOfPage } from '@roomside/contract/payments/processors.ts';
import { createFrame } from './isolated-frame.ts';
import { texts } from './texts.ts';
import './card-field.css';

/**
 * Lets the patient confirm a payment with their bank (3-D Secure). Whether it was paid is asked from the server afterwards: 'failed' also means
 * that the question was closed.
 */
export async function confirmAction(
  { processor, publicKey }: ProcessorOfPage,
  actionToken: string,
): Promise<'done' | 'failed'> {
  if (processor === 'sandbox') return askSandboxBank(actionToken);
  const { confirmWithStripe } = await import('./stripe-client.ts');
  return confirmWithStripe(publicKey, actionToken);
}

/** Shows the sandbox's bank in a dialog until it has an answer or is closed. */
function askSandboxBank(actionToken: string): Promise<'done' | 'failed'> {
  return new Promise((resolve) => {
    const dialog = document.createElement('dialog');
    dialog.className = 'bank-dialog';
    dialog.setAttribute('aria-label', texts.bank);
    dialog.tabIndex = -1;
    const close = document.createElement('button');
    close.type = 'button';
    close.className = 'rs-button rs-button-quiet';
    close.textContent = texts.closeBank;
    const frame = createFrame(`${isolatedFrames.bankChallenge.path}#${actionToken}`, texts.bank, (message) => {
      if (message.type === 'ready') frame.element.focus();
      if (message.type === 'escape') end('failed');
      if (message.type === 'challenged') end(message.passed ? 'done' : 'failed');
    });
    const end = (result: 'done' | 'failed') => {
      frame.close();
      dialog.remove();
      resolve(result);
    };
    close.addEventListener('click', () => end('failed'));
    dialog.addEventListener('cancel', () => end('failed'));
    dialog.append(frame.element, close);
    document.body.append(dialog);
    dialog.showModal();
    // The browser has focused the frame, which answers no key before it has loaded.
    dialog.focus();
  });
}
