import { describe, expect, onTestFinished, test } from 'vitest';
import { Turns } from './turns.ts';

const limits = { total: 4, perGroup: 3, perMember: 2, maxWaiting: 50, timeoutMs: 10_000 };

/** Creates work that runs until it is released. `started` has the names in the order of their turns. */
function createWork(turns: Turns) {
  const started: string[] = [];
  const release: (() => void)[] = [];
  let isFinished = false;
  const begin = (name: string, group: string, member: string) =>
    turns.run({ group, member }, () => {
      started.push(name);
      return isFinished ? Promise.resolve() : new Promise<void>((resolve) => release.push(resolve));
    });
  // Releases waiting turns, which would otherwise time out during another test.
  onTestFinished(() => {
    isFinished = true;
    for (const resolve of release) resolve();
  });
  const finishOne = async () => {
    release.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { started, begin, finishOne };
}

describe('Turns', () => {
  test('a member with many requests gets its limit only, and another group starts immediately', () => {
    const { started, begin } = createWork(new Turns(limits));
    for (let i = 0; i < 20; i += 1) void begin(`a${i}`, 'company 1', 'U_1');
    void begin('b', 'company 1', 'U_2');
    void begin('c', 'company 1', 'U_3');
    void begin('d', 'company 2', 'U_9');
    expect(started).toEqual(['a0', 'a1', 'b', 'd']);
  });

  test('a group with a different limit does not exceed it', () => {
    const { started, begin } = createWork(new Turns({ ...limits, groups: { unauthenticated: 1 } }));
    for (const name of ['a', 'b', 'c']) void begin(name, 'unauthenticated', name);
    void begin('d', 'company 1', 'U_1');
    expect(started).toEqual(['a', 'd']);
  });

  test('waiting groups are served in rotation, and within a group its members', async () => {
    const { started, begin, finishOne } = createWork(new Turns({ ...limits, total: 1, perGroup: 1, perMember: 1 }));
    void begin('first', 'company 0', 'U_0');
    for (let i = 0; i < 10; i += 1) void begin(`a${i}`, 'company 1', 'U_1');
    void begin('b', 'company 1', 'U_2');
    void begin('c', 'company 2', 'U_3');
    for (let i = 0; i < 5; i += 1) await finishOne();
    expect(started).toEqual(['first', 'a0', 'c', 'b', 'a1', 'a2']);
  });

  test('a turn whose work fails is released', async () => {
    const turns = new Turns({ ...limits, total: 1, perGroup: 1, perMember: 1 });
    const share = { group: 'g', member: 'm' };
    await expect(turns.run(share, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await turns.run(share, () => Promise.resolve('yes'))).toBe('yes');
  });

  test('a turn beyond maxWaiting is refused immediately, one that waits too long after the timeout', async () => {
    const turns = new Turns({ total: 1, perGroup: 1, perMember: 1, maxWaiting: 1, timeoutMs: 20 });
    const { begin, finishOne } = createWork(turns);
    const running = begin('running', 'g', 'm');
    const late = begin('late', 'g', 'm');
    await expect(begin('too many', 'g', 'm')).rejects.toMatchObject({ code: 'unavailable' });
    await expect(late).rejects.toMatchObject({ code: 'unavailable', details: { retryAfter: 2 } });
    await finishOne();
    await running;
    // The refused turn is not counted any more.
    const next = begin('next', 'g', 'm');
    await finishOne();
    await next;
  });
});
