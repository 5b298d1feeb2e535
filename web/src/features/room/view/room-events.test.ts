import { beforeEach, expect, test } from 'vitest';
import { toast, toastQueue } from '../../../ui/toast.ts';
import { roomEvents } from './room-events.ts';

const events = roomEvents({
  room: () => undefined,
  hear: () => undefined,
  onCut: () => undefined,
  onWaitingChanged: () => undefined,
  onReturned: () => undefined,
});
const said = () => toastQueue.get().map(({ text }) => text);
const camera = { deviceId: 'c', label: 'Webcam' };
const microphone = { deviceId: 'm', label: 'Webcam microphone' };

beforeEach(() => {
  for (const { key } of toastQueue.get()) toast.dismiss(key);
  events.onDevice('offer', { kind: 'camera', device: camera, isNew: true });
});

test('webcam with a microphone: the offer of its camera stays before what is only told', () => {
  events.onDevice('microphone-back', { kind: 'microphone', device: microphone, isNew: true });
  events.onNotice({ type: 'left', name: 'Ann Lee' });
  expect(said()).toEqual(['Webcam was connected.', 'Ann Lee has left.']);
});

test.each(['lost', 'frozen'] as const)('warning that the connection is %s: does not wait behind an offer', (type) => {
  events.onNotice({ type });
  expect(said()).toHaveLength(1);
  expect(said()).not.toContain('Webcam was connected.');
});
