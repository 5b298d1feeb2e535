import yauzl from 'yauzl';

/** Reads a ZIP archive with another library than the one that writes it, which checks sizes and checksums. Returns contents by path. */
export function readZip(bytes: Buffer): Promise<Map<string, Buffer>> {
  return new Promise((resolve, reject) => {
    yauzl.fromBuffer(bytes, { lazyEntries: true }, (failure, zip) => {
      if (failure) return reject(failure);
      const entries = new Map<string, Buffer>();
      zip.on('error', reject);
      zip.on('end', () => resolve(entries));
      zip.on('entry', (entry: yauzl.Entry) => {
        zip.openReadStream(entry, (error, stream) => {
          if (error) return reject(error);
          void stream.toArray().then((chunks: Buffer[]) => {
            entries.set(entry.fileName, Buffer.concat(chunks));
            zip.readEntry();
          }, reject);
        });
      });
      zip.readEntry();
    });
  });
}
