/** The beginning of a content by which its type is found, bytes. */
export const sampleBytes = 4100;

const unknownType = 'application/octet-stream';

/**
 * Returns the media type of a content by its first bytes, whatever its sender has declared. Texts have no signature: they keep a declared
 * type of text.
 */
export async function mediaTypeOf(sample: Uint8Array, declared: string): Promise<string> {
  // Loaded with the first upload.
  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(sample);
  if (found) return found.mime.split(';')[0] ?? unknownType;
  return declared.startsWith('text/') && !sample.includes(0) ? declared : unknownType;
}
