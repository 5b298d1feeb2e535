import { describe, expect, onTestFinished, test } from 'vitest';
import { startMailPeer } from '../../../test/message-peers.ts';
import { smtpMail } from './mail.ts';
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
    const { send, close } = smtpMail(`${peer.url}/${query}`, 'visits@roomside.test', false);
    onTestFinished(close);
    await expect(send(mail, '')).rejects.toThrow(deliveryTexts.mailClear);
    expect(peer.mails).toEqual([]);
  },
);

test('smtpMail: sends without encryption when that is allowed', async () => {
  const { send, close } = smtpMail(peer.url, 'visits@roomside.test', true);
  onTestFinished(close);
  await send(mail, '');
  expect(peer.to('person@example.test')).toHaveLength(1);
});

describe('connections', () => {
  const to = (address: string) => ({ ...mail, to: { name: '', address } });

  test('several mails use one connection, which close ends', async () => {
    const own = await startMailPeer();
    const { send, close } = smtpMail(own.url, 'visits@roomside.test', true);
    for (let n = 0; n < 5; n += 1) await send(to(`${n}@example.test`), '');
    expect([own.mails.length, own.connections()]).toEqual([5, { opened: 1, open: 1 }]);
    close();
    await expect.poll(own.connections).toEqual({ opened: 1, open: 0 });
    await expect(send(to('six@example.test'), '')).rejects.toThrow(deliveryTexts.mailUnreachable);
  });

  test('a refused mail fails alone', async () => {
    const own = await startMailPeer();
    const { send, close } = smtpMail(own.url, 'visits@roomside.test', true);
    onTestFinished(close);
    own.refusals.push(451, 550);
    const later = { message: deliveryTexts.mailLater(451), permanent: false };
    await expect(send(to('one@example.test'), '')).rejects.toMatchObject(later);
    const refused = { message: deliveryTexts.mailRefused(550), permanent: true };
    await expect(send(to('one@example.test'), '')).rejects.toMatchObject(refused);
    await send(to('one@example.test'), '');
    expect(own.mails).toHaveLength(1);
  });

  test('two mails at a time use two, and further ones wait', async () => {
    const own = await startMailPeer();
    const { send, close } = smtpMail(own.url, 'visits@roomside.test', true);
    onTestFinished(close);
    await Promise.all(Array.from({ length: 10 }, (_, n) => send(to(`${n}@example.test`), '')));
    expect([own.mails.length, own.connections()]).toEqual([10, { opened: 2, open: 2 }]);
  });

  test('a mail whose connection breaks fails for the job to repeat; the next mail uses a new one', async () => {
    const own = await startMailPeer();
    const { send, close } = smtpMail(own.url, 'visits@roomside.test', true);
    onTestFinished(close);
    const { promise, resolve } = Promise.withResolvers<void>();
    own.state.hold = promise;
    const broken = send(to('one@example.test'), '').catch((error: unknown) => error);
    await expect.poll(() => own.state.reading).toBe(1);
    own.breakConnections();
    expect(await broken).toMatchObject({ message: deliveryTexts.mailUnreachable, permanent: false });
    own.state.hold = null;
    resolve();
    await send(to('two@example.test'), '');
    expect([own.to('two@example.test').length, own.connections()]).toEqual([1, { opened: 2, open: 1 }]);
  });
});
