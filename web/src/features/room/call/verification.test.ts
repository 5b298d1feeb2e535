// @vitest-environment node
import { expect, test } from 'vitest';
import { commitmentOf, createNonce, fingerprintsOf, toHex, wordsFor } from './short-authentication.ts';
import { VerificationChannel, type Words } from './verification-channel.ts';
import { verificationWords } from './verification-words.ts';

/** One end of a connection whose channel delivers to `wire`. */
function buildEnd(commits: boolean, fingerprints: [own: string, other: string]) {
  const channel = {
    readyState: 'open',
    onopen: () => {},
    onmessage: undefined as ((event: { data: string }) => void) | undefined,
    close: () => {},
    send: (data: string) => wire(data),
  };
  let wire: (data: string) => void = () => {};
  const shown: Words[] = [];
  let failures = 0;
  const verification = new VerificationChannel({
    commits,
    onWords: (words) => shown.push(words),
    onFailed: () => (failures += 1),
  });
  const stats = new Map<string, object>([
    ['t', { id: 't', type: 'transport', localCertificateId: 'l', remoteCertificateId: 'r' }],
    ['l', { id: 'l', type: 'certificate', fingerprint: fingerprints[0], fingerprintAlgorithm: 'sha-256' }],
    ['r', { id: 'r', type: 'certificate', fingerprint: fingerprints[1], fingerprintAlgorithm: 'sha-256' }],
  ]);
  const pc = { createDataChannel: () => channel, getStats: async () => stats };
  return {
    verification,
    shown,
    get failures() {
      return failures;
    },
    open: () => {
      verification.openOn(pc as unknown as RTCPeerConnection);
      channel.onopen();
    },
    receive: (data: string) => channel.onmessage?.({ data }),
    sendsTo: (receive: (data: string) => void) => {
      wire = receive;
    },
  };
}

function connect(one: ReturnType<typeof buildEnd>, other: ReturnType<typeof buildEnd>) {
  one.sendsTo(other.receive);
  other.sendsTo(one.receive);
  other.open();
  one.open();
}

test('words: are two, the same on both sides, and others on the next connection', async () => {
  const [one, other] = [buildEnd(true, ['AA', 'BB']), buildEnd(false, ['BB', 'AA'])];
  connect(one, other);
  await expect.poll(() => Math.min(one.shown.length, other.shown.length)).toBeGreaterThan(0);
  expect(one.shown).toEqual(other.shown);
  for (const word of one.shown[0] ?? []) expect(verificationWords).toContain(word);
  connect(one, other);
  await expect.poll(() => Math.min(one.shown.length, other.shown.length)).toBeGreaterThan(1);
  expect(one.shown[1]).toEqual(other.shown[1]);
  expect(one.shown[1]).not.toEqual(one.shown[0]);
  expect([one.failures, other.failures]).toEqual([0, 0]);
});

test('words with other certificates on each side: differ', async () => {
  const [one, other] = [buildEnd(true, ['AA', 'MM']), buildEnd(false, ['BB', 'MM'])];
  connect(one, other);
  await expect.poll(() => Math.min(one.shown.length, other.shown.length)).toBeGreaterThan(0);
  expect(one.shown).not.toEqual(other.shown);
});

test('fingerprints: which side is whose makes no difference', async () => {
  const [first, second] = [createNonce(), createNonce()];
  const words = (...fingerprints: string[]) => wordsFor({ fingerprints, first, second }, verificationWords);
  expect(await words('a', 'b')).toEqual(await words('b', 'a'));
  expect(await words('a', 'b')).not.toEqual(await words('a', 'c'));
});

/** Plays the side that commits, by hand. */
function buildVictim() {
  const end = buildEnd(false, ['AA', 'BB']);
  const sent: Record<string, string>[] = [];
  end.sendsTo((data) => sent.push(JSON.parse(data) as Record<string, string>));
  end.open();
  return { end, sent, receive: (message: object) => end.receive(JSON.stringify(message)) };
}

test('wrong reveal: ends the connection without words', async () => {
  const { end, sent, receive } = buildVictim();
  receive({ commit: await commitmentOf(createNonce()) });
  await expect.poll(() => sent.length).toBeGreaterThan(0);
  receive({ reveal: toHex(createNonce()) });
  await expect.poll(() => end.failures).toBeGreaterThan(0);
  expect(end.shown).toEqual([]);
});

test('right reveal: shows words; a replay of it ends the connection', async () => {
  const { end, sent, receive } = buildVictim();
  const nonce = createNonce();
  receive({ commit: await commitmentOf(nonce) });
  await expect.poll(() => sent.length).toBeGreaterThan(0);
  receive({ reveal: toHex(nonce) });
  await expect.poll(() => end.shown.length).toBeGreaterThan(0);
  receive({ reveal: toHex(nonce) });
  await expect.poll(() => end.failures).toBeGreaterThan(0);
  expect(end.shown).toHaveLength(1);
});

test.each([
  ['a reveal before the commitment', { reveal: '0'.repeat(64) }],
  ['a nonce from the side that commits', { nonce: '0'.repeat(64) }],
  ['a short commitment', { commit: '00' }],
])('%s: ends the connection', async (_, message) => {
  const { end, receive } = buildVictim();
  receive(message);
  await expect.poll(() => end.failures).toBeGreaterThan(0);
  expect(end.shown).toEqual([]);
});

test('second commitment, after the nonce is known: ends the connection', async () => {
  const { end, sent, receive } = buildVictim();
  const commit = await commitmentOf(createNonce());
  receive({ commit });
  await expect.poll(() => sent.length).toBeGreaterThan(0);
  receive({ commit });
  await expect.poll(() => end.failures).toBeGreaterThan(0);
  expect(sent).toHaveLength(1);
});

test('side that commits: reveals its nonce only once', async () => {
  const end = buildEnd(true, ['AA', 'BB']);
  const sent: object[] = [];
  end.sendsTo((data) => sent.push(JSON.parse(data) as object));
  end.open();
  await expect.poll(() => sent.length).toBe(1);
  end.receive(JSON.stringify({ nonce: toHex(createNonce()) }));
  end.receive(JSON.stringify({ nonce: toHex(createNonce()) }));
  await expect.poll(() => end.failures).toBeGreaterThan(0);
  expect(sent.map((message) => Object.keys(message)[0])).toEqual(['commit', 'reveal']);
});

test('fingerprints without certificate statistics: are those of the applied descriptions', async () => {
  const sdp = (fingerprint: string) => `v=0\r\na=fingerprint:sha-256 ${fingerprint}\r\n`;
  const described = {
    getStats: async () => new Map(),
    localDescription: { sdp: sdp('aa:bb') },
    remoteDescription: { sdp: sdp('CC:DD') },
  };
  expect(await fingerprintsOf(described as unknown as RTCPeerConnection)).toEqual(['sha-256 AA:BB', 'sha-256 CC:DD']);
});

test('list of words: at least 1,024 different plain ones', () => {
  expect(verificationWords.length).toBeGreaterThanOrEqual(1_024);
  expect(new Set(verificationWords).size).toBe(verificationWords.length);
  for (const word of verificationWords) expect(word).toMatch(/^[a-z]{3,8}$/);
});
