import { JsonHubProtocol } from '@microsoft/signalr';
import { MessageBuffer } from '@microsoft/signalr/dist/esm/MessageBuffer.js';
import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => void vi.useRealTimers());

test('the client acknowledges messages after 1 s @CONST-8', async () => {
  vi.useFakeTimers();
  const send = vi.fn(async () => undefined);
  // Of the connection it uses these two only.
  const buffer = new MessageBuffer(new JsonHubProtocol(), { features: {}, send } as never, 100_000);
  buffer._shouldProcessMessage({ type: 1, target: 'Notify', arguments: [] });
  await vi.advanceTimersByTimeAsync(999);
  expect(send).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(send).toHaveBeenCalledWith(new JsonHubProtocol().writeMessage({ type: 8, sequenceId: 1 }));
});
