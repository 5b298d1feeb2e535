/** By first byte: the number of bytes that follow (`fixed`), or the width of the length field that follows (the others). */
const fixed: Readonly<Record<number, number>> = {
  0xca: 4,
  0xcb: 8,
  0xcc: 1,
  0xcd: 2,
  0xce: 4,
  0xcf: 8,
  0xd0: 1,
  0xd1: 2,
  0xd2: 4,
  0xd3: 8,
  0xd4: 2,
  0xd5: 3,
  0xd6: 5,
  0xd7: 9,
  0xd8: 17,
};
const bytes: Readonly<Record<number, number>> = { 0xc4: 1, 0xc5: 2, 0xc6: 4, 0xd9: 1, 0xda: 2, 0xdb: 4 };
const extensions: Readonly<Record<number, number>> = { 0xc7: 1, 0xc8: 2, 0xc9: 4 };
const values: Readonly<Record<number, number>> = { 0xdc: 2, 0xdd: 4, 0xde: 2, 0xdf: 4 };

/**
 * Whether the lengths in one MessagePack value are possible: arrays and maps declare no more values than there are bytes. A decoder
 * allocates by the declared length, and 30 KB could declare a gigabyte.
 */
export function isPlausible(data: Buffer): boolean {
  let wanted = 1;
  let at = 0;
  while (wanted > 0) {
    if (wanted > data.length - at) return false;
    wanted--;
    const first = data[at++] as number;
    if (first < 0x80 || first >= 0xe0) continue;
    if (first < 0x90) wanted += 2 * (first & 0x0f);
    else if (first < 0xa0) wanted += first & 0x0f;
    else if (first < 0xc0) at += first & 0x1f;
    else if (first > 0xc3) {
      const width = values[first] ?? bytes[first] ?? extensions[first] ?? 0;
      if (at + width > data.length) return false;
      const count = width > 0 ? data.readUIntBE(at, width) : 0;
      at += width;
      if (values[first]) wanted += first < 0xde ? count : 2 * count;
      else at += width > 0 ? count + (extensions[first] ? 1 : 0) : (fixed[first] ?? 0);
    }
  }
  return at <= data.length;
}
