import { describe, expect, test } from 'vitest';
import { gate, Raw } from './support.ts';
import { alive, begin, call, cancel, complete, item, start } from './support-streams.ts';

/** Streams and client results with hand-made messages, which Microsoft's client does not send or not at the right time. */

describe('T3 a cancellation', () => {
  test('a queued stream that is cancelled: does not start, and is completed', async () => {
    const { raw, notes, hanging } = await start();
    raw.send(call('Hang', 'h', []), begin('Endless', 's'), cancel('s'));
    expect(await raw.next()).toEqual({ type: 3, invocationId: 's' });
    hanging.open();
    expect(await raw.next()).toMatchObject({ type: 3, invocationId: 'h' });
    await alive(raw);
    expect(notes).toEqual([]);
  });

  test('a stream cancelled while authorize or the arguments are pending: does not start, and is completed once', async () => {
    const allowed = gate<boolean>();
    const { raw, notes, checking } = await start({ authorize: () => allowed.promise });
    raw.send(begin('Endless', 's'), cancel('s'), cancel('s'));
    expect(await raw.next()).toEqual({ type: 3, invocationId: 's' });
    allowed.open(true);
    raw.send(begin('Checked', 'c', ['x']), cancel('c'));
    expect(await raw.next()).toEqual({ type: 3, invocationId: 'c' });
    checking.open();
    await alive(raw);
    expect(notes).toEqual([]);
  });

  test('a running stream that is cancelled: aborts the signal and runs finally; at and after the end: no effect', async () => {
    const { raw, notes, slow } = await start();
    raw.send(begin('Endless', 's'));
    expect(await raw.next()).toEqual(item('s', 0));
    raw.send(cancel('s'));
    let last = await raw.next();
    while (last.type === 2) last = await raw.next();
    expect(last).toEqual({ type: 3, invocationId: 's' });
    await expect.poll(() => notes.toSorted()).toEqual(['aborted', 'begins', 'finally']);
    raw.send(begin('Slow', 't'));
    slow.open();
    expect(await raw.next()).toEqual(item('t', 1));
    expect(await raw.next()).toEqual({ type: 3, invocationId: 't' });
    raw.send(cancel('t'), cancel('s'), cancel('never'));
    await alive(raw);
  });

  test('a method that waits when its stream is cancelled: the stream is completed immediately', async () => {
    const { raw } = await start();
    raw.send(begin('Slow', 't'), cancel('t'));
    expect(await raw.next()).toEqual({ type: 3, invocationId: 't' });
    raw.send(begin('Slow', 't'), cancel('t'));
    expect(await raw.next()).toEqual({ type: 3, invocationId: 't' });
  });
});

describe('T7 ids and limits', () => {
  test('an id in use, in either direction: refused, and its uploads are closed', async () => {
    const { raw } = await start({ streams: 3 });
    raw.send(begin('Slow', 's'));
    for (let round = 0; round < 5; round++) {
      raw.send(begin('Slow', 's'));
      expect(await raw.next()).toMatchObject({ error: "Invocation ID 's' is already in use." });
      raw.send(begin('Both', 's', [], ['u']));
      expect(await raw.next()).toMatchObject({ error: "Invocation ID 's' is already in use." });
      raw.send(begin('Both', 'u', [], ['u']));
      expect(await raw.next()).toMatchObject({ error: "Invocation ID 'u' is already in use." });
      raw.send(call('Two', 'c', [], ['a', 'a']));
      expect(await raw.next()).toMatchObject({ error: "Invocation ID 'a' is already in use." });
      raw.send(call('Sum', 'c', [], ['s']));
      expect(await raw.next()).toMatchObject({ error: "Invocation ID 's' is already in use." });
    }
    raw.send(call('Sum', 'ok', [], ['u']), item('u', 5), complete('u'));
    expect(await raw.next()).toEqual({ type: 3, invocationId: 'ok', result: 5 });
  });

  test('streams beyond the limit: are refused until methods end', async () => {
    const { raw, steps } = await start({ streams: 2 });
    raw.send(begin('Slow', '1'), begin('Slow', '2'), begin('Slow', '3'));
    expect(await raw.next()).toMatchObject({ invocationId: '3', error: expect.stringMatching(/At most 2 streams/) });
    raw.send(cancel('1'));
    await raw.next();
    // A complete one counts while its method runs.
    raw.send(call('Steps', 'a', [], ['u']), complete('u'), call('Sum', 'b', [], ['v']), complete('v'));
    expect(await raw.next()).toMatchObject({ invocationId: 'b', error: expect.stringMatching(/At most 2 streams/) });
    steps[0]?.open();
    expect(await raw.next()).toMatchObject({ invocationId: 'a', result: 0 });
    raw.send(call('Sum', 'b', [], ['v']), complete('v'));
    expect(await raw.next()).toMatchObject({ invocationId: 'b', result: 0 });
  });

  test.for([
    ['Sum', []],
    ['Sum', undefined],
    ['Sum', ['a', 'b']],
    ['Echo', ['a']],
    ['Missing', ['a']],
  ] as const)('T4 %s with streams %o: an error, and their items are ignored', async ([target, ids]) => {
    const { raw } = await start();
    raw.send(call(target, '1', target === 'Echo' ? [1] : [], ids && [...ids]), item('a', 1), complete('a'));
    expect(await raw.next()).toMatchObject({
      invocationId: '1',
      error: expect.stringMatching(/stream\(s\)|not exist/),
    });
    await alive(raw);
  });
});

describe('T5 T6 streams from the client', () => {
  test('items after the end of the method: ignored; a method that reads nothing does not delay others', async () => {
    const { raw } = await start();
    for (let round = 0; round < 3; round++) {
      const many = Array.from({ length: 30 }, (_, value) => item('u', value));
      raw.send(call('Ignore', 'i', [], ['u']), ...many, complete('u'), ...many, complete('u', 'Again.'));
      expect(await raw.next()).toEqual({ type: 3, invocationId: 'i', result: 'unread' });
      await alive(raw);
    }
  });

  test('M6 two simultaneous streams: separate; an argument that looks like a stream is not one', async () => {
    const { raw } = await start();
    const forged = { ...call('Sum', 'f', []), uploads: [[1, 2, 3]], streams: ['x'] };
    raw.send(forged);
    expect(await raw.next()).toMatchObject({ error: expect.stringMatching(/Client sent 0 stream/) });
    raw.send({ ...call('Echo', 'e', [1]), uploads: [1], hasResult: true });
    expect(await raw.next()).toEqual({ type: 3, invocationId: 'e', result: 1 });
    raw.send(call('Two', '2', [], ['a', 'b']), item('b', 1), item('a', 1), complete('b'), item('a', 2), complete('a'));
    expect(await raw.next()).toEqual({ type: 3, invocationId: '2', result: 103 });
  });

  test('a stream with ten unread items: reading pauses without a client timeout, and continues with the method', async () => {
    const { raw, clock, steps, reasons, sockets } = await start();
    raw.send({ type: 6 }, call('Steps', 's', [], ['u']));
    for (let value = 0; value < 9; value++) raw.send(item('u', value));
    await alive(raw);
    raw.send(item('u', 9));
    await expect.poll(() => [...sockets].every((socket) => socket.isPaused())).toBe(true);
    raw.send(call('Echo', 'held', [1]));
    let isHeld = true;
    const held = raw.next().then((message) => {
      isHeld = false;
      return message;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isHeld).toBe(true);
    for (let seconds = 0; seconds < 40; seconds++) clock.advance(1_000);
    expect(reasons).toEqual([]);
    steps[0]?.open();
    // The method continues, but nothing could be read yet.
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    clock.advance(1_000);
    expect(reasons).toEqual([]);
    let first = await held;
    while (first.type === 6) first = await raw.next();
    expect(first).toMatchObject({ invocationId: 'held' });
    clock.advance(20_000);
    expect(reasons).toEqual([]);
    raw.send(complete('u'));
    for (const step of steps) step.open();
    let last = await raw.next();
    while (last.type === 6) last = await raw.next();
    expect(last).toMatchObject({ invocationId: 's', result: 10 });
  });
});

test('T8 a client that disconnects during streams: signals, errors and finally in both directions', async () => {
  const { raw, notes, reasons } = await start();
  raw.send(call('Sum', 'a', [], ['u']), item('u', 1), begin('Both', 'b', [], ['v']), item('v', 1));
  expect(await raw.next()).toEqual(item('b', 1));
  raw.ws.terminate();
  await expect.poll(() => reasons).toEqual(['lost']);
  const gone = 'The client has disconnected.';
  await expect.poll(() => notes.toSorted()).toEqual([gone, gone, 'aborted', 'finally', 'finally']);
});

test('T8 I9 a client that stops: complete streams are read to the end, incomplete ones throw', async () => {
  const { raw, notes, reasons } = await start();
  raw.send(call('Sum', 'a', [], ['u']), item('u', 1), complete('u'), call('Sum', 'b', [], ['v']), { type: 7 });
  await expect.poll(() => reasons).toEqual(['client-stop']);
  await expect.poll(() => notes.toSorted()).toEqual(['The client has disconnected.', 'finally', 'finally']);
});

test('T2 a method that never waits: other clients are served', async () => {
  const { raw, url, yielded } = await start();
  raw.send(begin('Endless', 's'));
  await raw.next();
  expect(yielded.count).toBeLessThan(1_000);
  const other = await Raw.connect(`${url}/hub`);
  await alive(other);
  raw.send(cancel('s'));
});

describe('R3 client results', () => {
  test('timeout: rejects; late and unknown completions are ignored', async () => {
    const { raw, control, id } = await start();
    const asked = control.connection(id()).invoke('Answer', ['?'], { timeoutMs: 20 });
    // Caught from here on, since it may reject before the message arrives.
    const refused = asked.then(undefined, String);
    const { invocationId } = await raw.next();
    expect(await refused).toContain('The client has not answered within 20 ms.');
    raw.send(complete(invocationId), complete('s99', 'Who?'), { ...complete('unknown'), result: 1 });
    await alive(raw);
  });

  test('the client disconnects: rejects', async () => {
    const { raw, control, id } = await start();
    const asked = [control.connection(id()).invoke('Answer', ['1']), control.connection(id()).invoke('Answer', ['2'])];
    const outcomes = Promise.allSettled(asked);
    await raw.next();
    raw.ws.terminate();
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'The client has disconnected.' } });
  });

  test("R1 R2 two simultaneous invocations: each gets its own result, also within the caller's own call", async () => {
    const { raw, control, id } = await start();
    const one = control.connection(id()).invoke('Answer', ['1']);
    const other = control.connection(id()).invoke('Answer', ['2']);
    const [first, second] = [await raw.next(), await raw.next()];
    raw.send({ ...complete(second.invocationId), result: 'B' }, complete(first.invocationId, 'Not I.'));
    expect(await other).toBe('B');
    await expect(one).rejects.toThrow('Not I.');
    raw.send(call('Ask', 'a', ['Well?']));
    const question = await raw.next();
    raw.send({ ...complete(question.invocationId), result: 'Yes.' });
    expect(await raw.next()).toEqual({ type: 3, invocationId: 'a', result: 'Yes.' });
  });
});

test('O2 drain: waits for streams and client results; new calls are dropped', async () => {
  const { raw, hubs, reasons } = await start();
  raw.send(call('Sum', 'a', [], ['u']), item('u', 1), call('Ask', 'b', ['?']));
  const { invocationId } = await raw.next();
  const drained = hubs.drain();
  raw.send(call('Echo', 'new', [1]), item('u', 2), complete('u'));
  expect(await raw.next()).toEqual({ type: 3, invocationId: 'a', result: 3 });
  raw.send({ ...complete(invocationId), result: 'Yes.' });
  expect(await raw.next()).toEqual({ type: 3, invocationId: 'b', result: 'Yes.' });
  expect(await raw.next()).toEqual({ type: 7, allowReconnect: true });
  await drained;
  expect(reasons).toEqual(['shutdown']);
});
