/** Characters that a file system does not allow, or that hide a name's end. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for.
const unsafe = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069"*/:<>?\\|]/g;
const maxLength = 60;

/** Returns a typed file name as a name that every file system takes, with its extension. */
export function safeName(name: string): string {
  const plain = name
    .normalize('NFC')
    .replace(unsafe, '_')
    .replace(/^[. ]+|[. ]+$/g, '');
  const [, base = '', extension = ''] = /^(.*?)(\.[A-Za-z0-9]{1,10})?$/s.exec(plain) ?? [];
  return `${Array.from(base).slice(0, maxLength).join('') || 'file'}${extension}`;
}

/** The columns that name the content of a file, a photo or a segment of a recording. */
export type BlobRow = Readonly<Record<string, unknown>>;

/** Returns the path of a content in the archive; the numbers in it are those of the CSV file. */
export function pathOf(folder: 'files' | 'photos' | 'recordings', row: BlobRow): string {
  const place = `${folder}/${String(row['appointment_id'])}`;
  if (folder === 'files') return `${place}/${String(row['file_id'])}-${safeName(String(row['name']))}`;
  if (folder === 'photos') return `${place}/${String(row['file_id'])}.jpg`;
  const at = String(row['started_at']).slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  const extension = String(row['media_type']).split('/')[1] ?? 'bin';
  return `${place}/${String(row['recording_id'])}-${at}-${String(row['blob_uid']).slice(0, 8)}.${extension}`;
}
