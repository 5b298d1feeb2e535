import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { vi } from 'vitest';
import { afterFile } from './after-file.ts';

/** A mail as a mail program would read it. */
export interface ReceivedMail {
  readonly raw: string;
  readonly to: string[];
  readonly headers: Map<string, string>;
  /** The leaves of its parts. */
  readonly parts: readonly { readonly type: string; readonly text: string }[];
}

/** Starts a mail server at loopback that keeps the mails it accepted. */
export async function startMailPeer() {
  const mails: ReceivedMail[] = [];
  /** SMTP codes with which it refuses the next mails. */
  const refusals: number[] = [];
  /** While set, mails are read and get no reply until it settles. */
  const state: { hold: Promise<void> | null; reading: number } = { hold: null, reading: 0 };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData(stream, session, done) {
      void (async () => {
        const raw = await readAll(stream);
        state.reading += 1;
        await state.hold;
        const responseCode = refusals.shift();
        const to = session.envelope.rcptTo.map((recipient) => recipient.address);
        if (responseCode !== undefined) return done(Object.assign(new Error(`no ${to.join()}`), { responseCode }));
        mails.push({ raw, to, ...readMail(raw) });
        return done();
      })();
    },
  });
  server.on('error', () => {});
  const sockets = new Set<Socket>();
  let opened = 0;
  server.server.on('connection', (socket: Socket) => {
    opened += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterFile(() => new Promise<void>((resolve) => server.close(resolve)));
  const { port } = server.server.address() as AddressInfo;
  const to = (address: string) => mails.filter((mail) => mail.to.includes(address));
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    refusals,
    state,
    /** Connections so far, and those that are open. */
    connections: () => ({ opened, open: sockets.size }),
    breakConnections: () => {
      for (const socket of sockets) socket.destroy();
    },
    to,
    /** Waits for the first mail to this address. */
    first: (address: string) =>
      vi.waitFor(
        () => {
          const [mail] = to(address);
          if (!mail) throw new Error(`No mail to ${address} yet.`);
          return mail;
        },
        { timeout: 30_000, interval: 20 },
      ),
  };
}

/** Starts a gateway for text messages at loopback, in Twilio's format. */
export async function startTextPeer() {
  const texts: { to: string; from: string; body: string; account: string }[] = [];
  const refusals: number[] = [];
  const server = http.createServer((request, response) => {
    void (async () => {
      const form = new URLSearchParams(await readAll(request));
      const status = refusals.shift();
      if (status !== undefined) return response.writeHead(status).end(`{"message":"no ${form.get('To')}"}`);
      const account = Buffer.from((request.headers.authorization ?? '').split(' ')[1] ?? '', 'base64').toString();
      texts.push({ to: form.get('To') ?? '', from: form.get('From') ?? '', body: form.get('Body') ?? '', account });
      return response.writeHead(201, { 'content-type': 'application/json' }).end('{"sid":"SM1"}');
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterFile(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://AC1:secret@127.0.0.1:${port}/2010-04-01/Accounts/AC1/Messages.json?From=%2B12025550100`,
    texts,
    refusals,
    first: (to: string) =>
      vi.waitFor(
        () => {
          const found = texts.find((one) => one.to === to);
          if (!found) throw new Error(`No text to ${to} yet.`);
          return found;
        },
        { timeout: 30_000, interval: 20 },
      ),
  };
}

/** Parses the parts of MIME that our own mails use (RFC 2045 to 2047). */
function readMail(raw: string): Pick<ReceivedMail, 'headers' | 'parts'> {
  const { headers, body } = split(raw);
  return { headers, parts: leaves(headers, body) };
}

function split(source: string): { headers: Map<string, string>; body: string } {
  const end = source.indexOf('\r\n\r\n');
  const lines = source
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = new Map(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      words(line.slice(line.indexOf(':') + 1).trim()),
    ]),
  );
  return { headers, body: source.slice(end + 4) };
}

const words = (header: string) =>
  header
    .replace(/\?= =\?/g, '?==?')
    .replace(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_, kind: string, code: string) =>
      kind.toUpperCase() === 'B' ? Buffer.from(code, 'base64').toString() : unquote(code.replaceAll('_', ' ')),
    );

const unquote = (text: string) =>
  Buffer.from(
    text
      .replace(/=\r\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString();

function leaves(headers: Map<string, string>, body: string): { type: string; text: string }[] {
  const type = headers.get('content-type') ?? 'text/plain';
  const boundary = /boundary="([^"]+)"/.exec(type)?.[1];
  if (boundary === undefined) {
    const encoding = headers.get('content-transfer-encoding');
    const text =
      encoding === 'base64'
        ? Buffer.from(body, 'base64').toString()
        : encoding === 'quoted-printable'
          ? unquote(body)
          : body;
    return [{ type, text: text.replace(/\r\n/g, '\n') }];
  }
  return body
    .split(`--${boundary}`)
    .slice(1, -1)
    .flatMap((part) => {
      const inner = split(part.replace(/^\r\n/, '').replace(/\r\n$/, ''));
      return leaves(inner.headers, inner.body);
    });
}
