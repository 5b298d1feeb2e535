import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type DataKey, keyIdOf, openBytes, sealBytes, sealedHeader, UnreadableValue } from './envelope.ts';

const key: DataKey = { id: 4_503_599_627_370_497, bytes: randomBytes(32) };
const plain = Buffer.from('Blood pressure 120/80. Ünïcode.');

describe('sealed value', () => {
  test('opens with its key in its place, has the key id, and differs each time', () => {
    const sealed = sealBytes(key, plain, 'appointments.notes a');
    expect(openBytes(key, sealed, 'appointments.notes a')).toEqual(plain);
    expect(keyIdOf(sealed)).toBe(key.id);
    expect(sealed.subarray(0, 9)).toEqual(sealedHeader(key));
    expect(sealed.length).toBe(plain.length + 37);
    expect(sealBytes(key, plain, 'appointments.notes a').equals(sealed)).toBe(false);
  });

  test('does not open in another place, with another key, or with another key id', () => {
    const sealed = sealBytes(key, plain, 'appointments.notes a');
    expect(() => openBytes(key, sealed, 'appointments.notes b')).toThrow(UnreadableValue);
    expect(() => openBytes({ id: key.id, bytes: randomBytes(32) }, sealed, 'appointments.notes a')).toThrow(
      UnreadableValue,
    );
    expect(() => openBytes({ ...key, id: 7 }, sealed, 'appointments.notes a')).toThrow('another key');
  });

  test('does not open when one byte was changed, or when it was truncated', () => {
    const sealed = sealBytes(key, plain, 'x');
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] as number) ^ 1;
      expect(() => openBytes(key, changed, 'x'), `byte ${at}`).toThrow(UnreadableValue);
    }
    for (let length = 0; length < sealed.length; length += 1)
      expect(() => openBytes(key, sealed.subarray(0, length), 'x'), `${length} bytes`).toThrow(UnreadableValue);
  });
});
