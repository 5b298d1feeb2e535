/** 32 random bytes. */
export type Nonce = Uint8Array<ArrayBuffer>;

const nonceBytes = 32;
const encoder = new TextEncoder();

export function createNonce(): Nonce {
  return crypto.getRandomValues(new Uint8Array(nonceBytes));
}

/** Returns the SHA-256 of a nonce as hexadecimal digits: binds the sender to the nonce without showing it. */
export async function commitmentOf(nonce: Nonce): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', nonce)));
}

/** What both sides put into the words. */
export interface Shared {
  /** Of the certificates with which the connection is encrypted, in any order. */
  fingerprints: readonly string[];
  /** The nonce of the side that commits, and the other side's. */
  first: Nonce;
  second: Nonce;
}

/**
 * Returns two words that are the same on both sides when both see the same two certificates: a short authentication string as in ZRTP
 * (RFC 6189, 4.5.2), by HKDF with SHA-256 (RFC 5869). Who stands between the two sides, with another certificate towards each, must have chosen a
 * nonce before the other is known (RFC 6189, 4.4.1.1), so the words are equal by chance only: once in N², N being the number of words.
 */
export async function wordsFor(
  { fingerprints, first, second }: Shared,
  words: readonly string[],
): Promise<readonly [string, string]> {
  const secret = new Uint8Array([...first, ...second]);
  const key = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits']);
  const salt = encoder.encode(fingerprints.toSorted().join('\n'));
  const info = encoder.encode('roomside verification words');
  const bits = await crypto.subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info }, key, 64);
  const view = new DataView(bits);
  const word = (offset: number) => words[view.getUint32(offset) % words.length] ?? '';
  return [word(0), word(4)];
}

export function toHex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the nonce of hexadecimal digits. */
export function fromHex(hex: string): Nonce {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

interface CertificateReport {
  readonly id: string;
  readonly type: string;
  readonly localCertificateId?: string;
  readonly remoteCertificateId?: string;
  readonly fingerprint?: string;
  readonly fingerprintAlgorithm?: string;
}

type Described = Pick<RTCPeerConnection, 'getStats' | 'localDescription' | 'remoteDescription'>;

/**
 * Returns the fingerprints of the certificates in use, this side's and the other's. A browser without certificate statistics has compared the
 * certificate with the description that it applied, so those of the descriptions are used.
 */
export async function fingerprintsOf(pc: Described): Promise<string[]> {
  const reports = [...(await pc.getStats()).values()] as CertificateReport[];
  const transport = reports.find(({ type, remoteCertificateId }) => type === 'transport' && remoteCertificateId);
  const used = [transport?.localCertificateId, transport?.remoteCertificateId].flatMap((id) =>
    reports.filter((report) => report.id === id && report.fingerprint),
  );
  if (used.length === 2)
    return used.map(({ fingerprintAlgorithm = '', fingerprint = '' }) => normalize(fingerprintAlgorithm, fingerprint));
  return [pc.localDescription, pc.remoteDescription].flatMap((description) => {
    const [, algorithm = '', fingerprint = ''] = /^a=fingerprint:(\S+) (\S+)/m.exec(description?.sdp ?? '') ?? [];
    return [normalize(algorithm, fingerprint)];
  });
}

function normalize(algorithm: string, fingerprint: string): string {
  return `${algorithm.toLowerCase()} ${fingerprint.toUpperCase()}`;
}
