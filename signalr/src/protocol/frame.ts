/** Returns a complete server frame (RFC 6455, 5.2: final, unmasked) in one buffer, which connections share. */
export function frame(data: string | Uint8Array): Buffer {
  const text = typeof data === 'string';
  const length = text ? Buffer.byteLength(data) : data.byteLength;
  const header = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const buffer = Buffer.allocUnsafe(header + length);
  buffer[0] = text ? 0x81 : 0x82;
  if (header === 2) {
    buffer[1] = length;
  } else if (header === 4) {
    buffer[1] = 126;
    buffer.writeUInt16BE(length, 2);
  } else {
    buffer[1] = 127;
    buffer.writeUInt32BE(0, 2);
    buffer.writeUInt32BE(length, 6);
  }
  if (text) buffer.write(data, header);
  else buffer.set(data, header);
  return buffer;
}
