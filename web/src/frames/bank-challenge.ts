/** The sandbox's bank: asks whether a payment is approved, stores the answer and tells the page. The address ends with the payment's action. */
import { onPage, part, startFrame, tellPage } from './page.ts';

const failed = 'The answer could not be sent. Please check your connection and try again.';

async function answer(passed: boolean): Promise<void> {
  part('failed').textContent = '';
  const action = encodeURIComponent(location.hash.slice(1));
  const response = await fetch(`/sandbox/challenges/${action}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ passed }),
  }).catch(() => undefined);
  if (response?.ok) tellPage({ type: 'challenged', passed });
  else part('failed').textContent = failed;
}

/** Until here a click would be lost, so the document has the button disabled. */
function enable(id: string, passed: boolean): void {
  const button = part<HTMLButtonElement>(id);
  button.addEventListener('click', () => void answer(passed));
  button.disabled = false;
}

enable('approve', true);
enable('refuse', false);
addEventListener('keydown', (event) => {
  if (event.key === 'Escape') tellPage({ type: 'escape' });
});
// The page focuses this frame once it listens. Chromium ignores a focus() of a frame that is not focused.
addEventListener('focus', () => part('question').focus(), { once: true });
onPage(() => undefined);
startFrame();
