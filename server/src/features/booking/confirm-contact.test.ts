import { type BookingBody, bookSlot, type ContactConfirmation, holdSlot } from '@roomside/contract/booking/calls.ts';
import { fieldTexts } from '@roomside/contract/texts.ts';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { watchAudit } from '../../../test/audit-rows.ts';
import { startMailPeer, startTextPeer } from '../../../test/message-peers.ts';
import { partOf } from '../../../test/notices.ts';
import { startTestApp } from '../../../test/test-app.ts';
import { buildCompany, buildUser } from '../../demo/builders.ts';

const mail = await startMailPeer();
const text = await startTextPeer();
const app = await startTestApp({
  env: {
    TRUST_PROXY: '1',
    SMTP_URL: mail.url,
    MAIL_FROM: 'Roomside <visits@roomside.test>',
    SMS_URL: text.url,
  },
});
const { context, clock } = app;
/** A Monday, 08:00 in New York. */
const monday = Date.parse('2031-03-03T13:00:00Z');
let companyUid: string;
let companyId: number;
let doctorId: number;
let turn = 0;

beforeEach(async () => {
  clock.set(monday);
  turn += 1;
  ({ companyId, companyUid } = await buildCompany(context, { genericSchedule: true, duration: 15 }));
  doctorId = (await buildUser(context, { companyId, role: 'D' })).userId;
});

const addressOf = (host: number) => `198.51.${turn}.${host}`;
/** The nth quarter of an hour of Tuesday from 9:00 in New York. */
const start = (n: number) => new Date(Date.parse('2031-03-04T14:00:00Z') + n * 900_000).toISOString();

/** Tries to hold a start; each start and address is another browser. */
function attempt(n: number, address: string, person = app.anonymous()) {
  const holder = `${turn}${n}${address.replace(/\D/g, '')}`.padStart(32, '0').slice(-32);
  const headers = { 'x-forwarded-for': address };
  return person.call(holdSlot, { params: { companyUid }, headers, body: { holder, doctorId, startDate: start(n) } });
}

/** Holds a start and returns a function that books it; `holdFrom` is the address of the hold, if it is another one. */
async function hold(n: number, address = addressOf(1), holdFrom = address) {
  const person = app.anonymous();
  const headers = { 'x-forwarded-for': address };
  const held = await attempt(n, holdFrom, person);
  expect(held.status).toBe(200);
  const { holdUid } = held.json;
  return (values: Partial<BookingBody> = {}) =>
    person.call(bookSlot, {
      params: { companyUid },
      headers,
      body: { ...newcomer, email: `new${turn}-${n}@example.test`, holdUid, ...values },
    });
}
const newcomer = { firstName: "D'Arcy", lastName: 'New', doB: '1990-05-17', phone: '', email: '' };

const requireCodes = () =>
  context.db.open({ kind: 'super' }, (tx) =>
    tx.updateTable('companies').set({ confirm_bookings: true }).where('company_id', '=', companyId).execute(),
  );

/** The code in the nth mail to this address. */
async function codeTo(address: string, nth = 1): Promise<string> {
  await expect.poll(() => mail.to(address).length).toBeGreaterThanOrEqual(nth);
  return /\b\d{6}\b/.exec(partOf(mail.to(address)[nth - 1], 'text/plain'))?.[0] ?? '';
}
const wrong = (code: string) => (code === '000000' ? '000001' : '000000');

describe('confirmation of bookings', () => {
  test('three bookings an hour from one address need no code; the next one needs the code sent to its contact', async () => {
    for (const n of [0, 1, 2]) expect((await (await hold(n))()).status).toBe(200);
    const book = await hold(3);
    const asked = await book();
    expect([asked.status, asked.problem.code]).toEqual([409, 'confirm-contact']);
    const { method, expires, now } = asked.problem.current as ContactConfirmation;
    // The hold is extended to ten minutes from now.
    expect([method, Date.parse(expires) - Date.parse(now)]).toEqual(['email', 600_000]);
    const code = await codeTo(`new${turn}-3@example.test`);
    const refused = await book({ code: wrong(code) });
    expect([refused.status, refused.problem.code, Object.keys(refused.problem.fields ?? {})]).toEqual([
      422,
      'wrong-confirmation',
      ['code'],
    ]);
    expect((await book({ code })).status).toBe(200);
    // Another address needs no code, and an hour later this one neither.
    expect((await (await hold(5, addressOf(2)))()).status).toBe(200);
    clock.set(monday + 3_700_000);
    expect((await (await hold(6))()).status).toBe(200);
  });

  test('twelve bookings an hour from the networks of one IPv6 /48 need no code; another /48 is not affected', async () => {
    const site = `2001:db8:${turn}`;
    const from = (n: number) => `${site}:${n.toString(16)}00::1`;
    // Held from other addresses: a site has a limit of holds.
    const books = [];
    for (let n = 0; n < 14; n += 1) books.push(await hold(n, from(n), addressOf(20 + n)));
    const responses = await Promise.all(books.map((book) => book()));
    const codes = responses.map(({ status, problem }) => (status === 200 ? 'booked' : problem.code)).toSorted();
    expect(codes).toEqual([...Array(12).fill('booked'), 'confirm-contact', 'confirm-contact']);
    expect((await (await hold(14, `2001:db8:f${turn}::1`))()).status).toBe(200);
    clock.set(monday + 3_700_000);
    expect((await (await hold(15, from(15)))()).status).toBe(200);
  });

  test('the limit holds for simultaneous bookings of one address', async () => {
    const books = [];
    for (let i = 0; i < 3; i += 1)
      for (let n = 0; n < 5; n += 1) books.push(await hold(i * 5 + n, addressOf(10 + i), addressOf(100 + i * 5 + n)));
    const responses = await Promise.all(books.map((book) => book()));
    const codes = responses.map(({ status, problem }) => (status === 200 ? 'booked' : problem.code));
    expect(codes.filter((code) => code === 'booked')).toHaveLength(9);
    expect(new Set(codes)).toEqual(new Set(['booked', 'confirm-contact']));
  });

  test('every booking needs a code when the clinic requires it; it can be sent by text', async () => {
    await requireCodes();
    const book = await hold(0);
    const phone = `212555${String(2000 + turn)}`;
    const contact = { email: '', phone };
    expect((await book(contact)).problem).toMatchObject({ code: 'confirm-contact', current: { method: 'text' } });
    const texts = () => text.texts.filter(({ to }) => to === `+1${phone}`);
    await expect.poll(() => texts().length).toBe(1);
    const code = /\b\d{6}\b/.exec(texts()[0]?.body ?? '')?.[0] ?? '';
    expect((await book({ ...contact, code })).status).toBe(200);
  });

  test('a code ends after five wrong attempts, a hold has three codes, and a code is not valid for another contact', async () => {
    await requireCodes();
    const book = await hold(0);
    const own = `new${turn}-0@example.test`;
    await book();
    const first = await codeTo(own);
    const added = await watchAudit(app);
    for (let i = 0; i < 5; i += 1) expect((await book({ code: wrong(first) })).problem.code).toBe('wrong-confirmation');
    const rows = (await added()).filter(({ objects }) => objects['refused'] === 'wrong-confirmation');
    expect(rows[0]).toMatchObject({ actor: 'unknown', action: 'bookSlot', address: addressOf(1) });
    expect(rows.map(({ objects }) => Number(objects['count'] ?? 1)).reduce((all, one) => all + one)).toBe(5);
    // The first code has ended: another one is sent.
    expect((await book({ code: first })).problem.code).toBe('confirm-contact');
    const second = await codeTo(own, 2);
    expect((await book({ code: second, email: `other${turn}@example.test` })).problem.code).toBe('confirm-contact');
    expect((await book({ sendAgain: true })).problem.code).toBe('too-many-codes');
    expect(mail.to(own)).toHaveLength(2);
  });

  test('many networks: a contact does not get one code after the other', async () => {
    onTestFinished(app.clock.freeze());
    await requireCodes();
    const email = `victim${turn}@example.test`;
    const ask = async (n: number) => (await (await hold(n, addressOf(n + 1)))({ email })).problem.code;
    for (let n = 0; n < 12; n += 1) expect(await ask(n)).toBe('confirm-contact');
    expect(await ask(12)).toBe('too-many');
    const other = await hold(14, addressOf(15));
    expect((await other({ email: `other${turn}@example.test` })).problem.code).toBe('confirm-contact');
  });

  test('a repeat without a code sends no new one, only sendAgain does', async () => {
    await requireCodes();
    const book = await hold(0);
    const own = `new${turn}-0@example.test`;
    await book();
    const first = await codeTo(own);
    expect((await book()).problem.code).toBe('confirm-contact');
    expect((await book({ sendAgain: true })).problem.code).toBe('confirm-contact');
    const second = await codeTo(own, 2);
    expect(mail.to(own)).toHaveLength(2);
    if (first !== second) expect((await book({ code: first })).problem.code).toBe('wrong-confirmation');
    expect((await book({ code: second })).status).toBe(200);
  });

  test('expired hold: another code is sent, the start is held for ten minutes again, and the code books it', async () => {
    await requireCodes();
    const book = await hold(0);
    await book();
    await codeTo(`new${turn}-0@example.test`);
    clock.set(monday + 11 * 60_000);
    const again = await book({ sendAgain: true });
    const { expires, now } = again.problem.current as ContactConfirmation;
    expect([again.problem.code, Date.parse(expires) - Date.parse(now)]).toEqual(['confirm-contact', 600_000]);
    await codeTo(`new${turn}-0@example.test`, 2);
    expect((await attempt(0, addressOf(2))).problem.code).toBe('slot-taken');
    // The same for another contact.
    clock.set(monday + 22 * 60_000);
    const email = `other${turn}@example.test`;
    expect((await book({ email })).problem.code).toBe('confirm-contact');
    const code = await codeTo(email);
    expect((await book({ email, code })).status).toBe(200);
  });

  test('a start is held for ten minutes after the third code, and then no longer', async () => {
    await requireCodes();
    const book = await hold(0);
    for (const minutes of [0, 11, 22]) {
      clock.set(monday + minutes * 60_000);
      expect((await book({ sendAgain: true })).problem.code).toBe('confirm-contact');
    }
    expect((await attempt(0, addressOf(2))).problem.code).toBe('slot-taken');
    clock.set(monday + 33 * 60_000);
    expect((await book({ sendAgain: true })).problem.code).toBe('too-many-codes');
    expect((await attempt(0, addressOf(2))).status).toBe(200);
  });
});

describe('texts of an unverified booking', () => {
  test.each(['http://evil.test/win', 'Win www.evil.test', 'evil.com', 'a@b.test', 'x<b>', 'Visit evil.test now'])(
    'returns 422 for a name with a web address: %s',
    async (name) => {
      const book = await hold(0);
      for (const part of ['firstName', 'lastName'] as const) {
        const { status, problem } = await book({ [part]: name });
        expect([status, problem.fields]).toEqual([422, { [part]: fieldTexts.addressInName }]);
      }
    },
  );

  test('accepts names with dots, apostrophes, hyphens and other scripts', async () => {
    const names = ['St.John', 'J. Robert', 'María José', "O'Neil-Smith", '李', 'Jr.'];
    for (const [n, firstName] of names.entries())
      expect([firstName, (await (await hold(n, addressOf(20 + n)))({ firstName })).status]).toEqual([firstName, 200]);
  });

  test('a mail contains only the first name, and only if it looks like a name', async () => {
    const book = await hold(0);
    const own = `new${turn}-0@example.test`;
    await book({ firstName: 'Win a prize:', lastName: 'Call 555 0100' });
    const received = await mail.first(own);
    expect(received.raw).not.toMatch(/prize|555 0100/);
    expect(received.headers.get('to')).toBe(own);
    expect(partOf(received, 'text/plain')).toContain('Hello,');
    const named = await hold(1);
    await named({ firstName: 'Niamh', lastName: 'Surname' });
    const other = await mail.first(`new${turn}-1@example.test`);
    expect(partOf(other, 'text/plain')).toContain('Hello Niamh,');
    expect(other.raw).not.toContain('Surname');
  });

  test('the message with the code contains no typed name', async () => {
    await requireCodes();
    await (await hold(0))({ firstName: 'Typedfirst', lastName: 'Typedlast' });
    const received = await mail.first(`new${turn}-0@example.test`);
    expect(received.raw).not.toMatch(/Typed/);
    expect(partOf(received, 'text/plain')).toContain('nothing has been booked');
  });
});
