import { type MessagingClient, messageType } from '@roomside/contract/room/messages.ts';
import { expect, test } from 'vitest';
import { fakeClock } from './core/fake-clock.ts';
import { createParts, startParts } from './create-parts.ts';
import { LocalMedia } from './media/local-media.ts';

const uid = '0123456789abcdef0123456789abcdef';

test.each([
  ['P_5_phone', { outcome: 'taken' }],
  ['G_6_tablet', undefined],
])('a picture of the patient: %s has the notice %o', (peerId, last) => {
  const of = { uid, peerId, appointmentId: 1, isPatient: true, userId: null };
  const parts = createParts({ ...of, clock: fakeClock(), newId: () => 'id', media: new LocalMedia(undefined) });
  let notify: MessagingClient['Notify'] = () => undefined;
  const onNotify = (listener: MessagingClient['Notify']) => {
    notify = listener;
    return () => undefined;
  };
  const stop = startParts(parts, uid, { onNotify });
  const sender = { peerId: 'D_7_desk', roleId: 'D', userId: 7, patientId: null, firstName: '', lastName: '' } as const;
  notify({ type: messageType.pictureTaken, session: uid, key: 'picture-0001' }, sender);
  expect(parts.pictures.view.get().last).toEqual(last);
  stop();
});
