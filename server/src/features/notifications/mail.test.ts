import { expect, test } from 'vitest';
import { smtpMail } from './mail.ts';
import { startMailPeer } from './test-peers.ts';
import { deliveryTexts } from './texts.ts';

const peer = await startMailPeer();
const mail = {
  id: 'one',
  to: { name: '', address: 'person@example.test' },
  replyTo: '',
  subject: 'Hello',
  text: 'A code',
  html: '<p>A code</p>',
  calendar: null,
};

test.each(['', '?requireTLS=false', '?ignoreTLS=true', '?opportunisticTLS=true'])(
  'smtpMail: refuses a mail server without encryption, also with the option %s in its address',
  async (query) => {
    const send = smtpMail(`${peer.url}/${query}`, 'visits@roomside.test', false);
    await expect(send(mail, '')).rejects.toThrow(deliveryTexts.mailClear);
    expect(peer.mails).toEqual([]);
  },
);

test('smtpMail: sends without encryption when that is allowed', async () => {
  await smtpMail(peer.url, 'visits@roomside.test', true)(mail, '');
  expect(peer.to('person@example.test')).toHaveLength(1);
});
