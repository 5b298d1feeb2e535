import { expect, test } from 'vitest';
import { EarlyCandidates } from './early-candidates.ts';

const sdp = 'v=0\r\na=ice-ufrag:abcd\r\n';

test('candidates: wait for the description of their connection and their ICE generation', () => {
  const early = new EarlyCandidates();
  const now = { candidate: 'one', usernameFragment: 'abcd' };
  const next = { candidate: 'two', usernameFragment: 'efgh' };
  const plain = { candidate: 'three' };
  for (const candidate of [now, next, plain]) early.hold('pc1', candidate);
  early.hold('pc2', plain);
  expect(early.take('pc1', sdp)).toEqual([now, plain]);
  expect(early.take('pc1', sdp)).toEqual([]);
  expect(early.take('pc1', sdp.replace('abcd', 'efgh'))).toEqual([next]);
  expect(early.take('pc2', sdp)).toEqual([plain]);
});

test('too many candidates: the oldest are dropped', () => {
  const early = new EarlyCandidates();
  for (let index = 0; index < 150; index += 1) early.hold('pc1', { candidate: String(index) });
  const taken = early.take('pc1', sdp);
  expect(taken).toHaveLength(100);
  expect(taken[0]).toEqual({ candidate: '50' });
});
