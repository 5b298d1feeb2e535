import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** The attacker's knowledge: the server's port, a sign-in at the attacker's clinic, and the email of a user of another clinic. */
export interface Attacker {
  readonly port: number;
  readonly token: string;
  readonly account: object;
  /** The form of another user of the attacker's clinic, with an old version. */
  readonly colleague: object;
  readonly victimEmail: string;
  /** The network of the victim's clinic. */
  readonly victimAddress: string;
  readonly appointmentIds: readonly number[];
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 512 });

/** Sends a request and reads the whole response. Errors are ignored. */
function send(
  { port }: Attacker,
  method: string,
  path: string,
  {
    address = '203.0.113.99',
    origin,
    token,
    body,
  }: { address?: string; origin?: string; token?: string; body?: object },
): Promise<void> {
  return new Promise((resolve) => {
    const request = http.request({ agent, host: '127.0.0.1', port, method, path }, (response) => {
      response.resume().on('end', resolve).on('error', resolve);
    });
    request.setHeader('x-forwarded-for', address);
    if (origin) request.setHeader('origin', origin);
    if (token) request.setHeader('authorization', `Bearer ${token}`);
    request.on('error', () => resolve());
    if (body) request.setHeader('content-type', 'application/json');
    request.end(body && JSON.stringify(body));
  });
}

/** Starts `perSecond` requests per second without waiting for earlier ones. */
async function steadily(perSecond: number, isOver: () => boolean, one: (i: number) => Promise<void>): Promise<void> {
  const start = performance.now();
  for (let i = 0; !isOver(); ) {
    for (const due = ((performance.now() - start) / 1000) * perSecond; i < due; i += 1) void one(i);
    await pause(10);
  }
}

const signIn = (email: string, password?: string) => ({
  isPatient: password === undefined,
  user: { email, ...(password !== undefined && { password }) },
});
const addressOf = (i: number) => `198.51.${Math.floor(i / 250) % 250}.${i % 250}`;

type Attack = (attacker: Attacker, isOver: () => boolean) => Promise<void>;

/** 40 simultaneous saves of the attacker's own account with wrong passwords. */
const ownAccount: Attack = async (attacker, isOver) => {
  const lanes = Array.from({ length: 40 }, async (_, lane) => {
    for (let i = 0; !isOver(); i += 1) {
      const body = { ...attacker.account, email: `x${lane}-${i}@bench.test`, currentPassword: `wrong-${i}` };
      await send(attacker, 'PUT', '/api/account', { token: attacker.token, body });
    }
  });
  await Promise.all(lanes);
};

/** Passwords that an administrator sets for another user, each refused since the user has changed meanwhile. */
const newPasswords: Attack = (attacker, isOver) =>
  steadily(100, isOver, (i) => {
    const body = { ...attacker.colleague, passwordString: `four green ferries ${i}` };
    return send(attacker, 'PUT', '/api/users', { token: attacker.token, body });
  });

/** Health checks of unauthenticated clients, who do not wait for the response. */
const pings: Attack = (attacker, isOver) =>
  steadily(600, isOver, (i) => send(attacker, 'GET', i % 2 ? '/ping' : '/health', { address: addressOf(i) }));

const wrongCodes: Attack = (attacker, isOver) =>
  steadily(40, isOver, (i) =>
    send(attacker, 'POST', '/api/auth/login', { address: addressOf(i % 400), body: signIn(`Wrong${i}xyz`) }),
  );

const oneDoctor: Attack = (attacker, isOver) =>
  steadily(40, isOver, (i) =>
    send(attacker, 'POST', '/api/auth/login', {
      address: addressOf(i % 400),
      body: signIn(attacker.victimEmail, `w${i}`),
    }),
  );

const ownNetwork: Attack = (attacker, isOver) =>
  steadily(10, isOver, (i) =>
    send(attacker, 'POST', '/api/auth/login', {
      address: attacker.victimAddress,
      body: i % 2 ? signIn(`someone${i}@bench.test`, 'wrong') : signIn(`Wrong${i}xyz`),
    }),
  );

const passwordFlood: Attack = (attacker, isOver) =>
  steadily(180, isOver, (i) =>
    send(attacker, 'POST', '/api/auth/login', {
      address: addressOf(i),
      body: signIn(`no${i}@bench.test`, 'wrong-one'),
    }),
  );

/** Sign-ups of new companies, whose passwords are hashed. */
const signUps: Attack = (attacker, isOver) =>
  steadily(180, isOver, (i) => {
    const user = {
      companyName: `Clinic ${i}`,
      timeZone: 'America/Denver',
      firstName: 'Noor',
      lastName: 'Haddad',
      email: `clinic${i}@bench.test`,
      phone: '2125550142',
      password: `four green ferries ${i}`,
    };
    return send(attacker, 'POST', '/api/auth/sign-up', { address: addressOf(i), body: { user } });
  });

const ipv6: Attack = (attacker, isOver) =>
  steadily(60, isOver, (i) =>
    send(attacker, 'POST', '/api/auth/login', {
      address: `2001:db8:1:${(i % 60_000).toString(16)}::1:2:3`,
      body: signIn(`six${i}@bench.test`, 'wrong-one'),
    }),
  );

/** Invitations while the mail server does not respond. */
const hangingMail: Attack = (attacker, isOver) =>
  steadily(20, isOver, (i) => {
    const id = attacker.appointmentIds[i % attacker.appointmentIds.length];
    return send(attacker, 'POST', `/api/appointments/${id}/notify`, { token: attacker.token });
  });

/** Negotiations of unauthenticated clients that disconnect. */
const negotiateFlood: Attack = ({ port }, isOver) =>
  steadily(1200, isOver, async () => {
    const socket = net.connect(port, '127.0.0.1').on('error', () => {});
    socket.write(
      'POST /messaging/negotiate?negotiateVersion=1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n',
    );
    await pause(10);
    socket.destroy();
  });

/** Negotiations of another site's pages, open in the browsers of the user's clinic. */
const foreignNegotiations: Attack = (attacker, isOver) =>
  steadily(200, isOver, (i) =>
    send(attacker, 'POST', '/messaging/negotiate?negotiateVersion=1', {
      address: attacker.victimAddress,
      origin: 'https://other-site.test',
      ...(i % 2 === 0 && { token: attacker.token }),
    }),
  );

/** 40 requests a second whose body of a megabyte never ends, to the hub and to a call. */
const halfBodies: Attack = ({ port, token }, isOver) =>
  steadily(40, isOver, async (i) => {
    const socket = net.connect(port, '127.0.0.1').on('error', () => {});
    const path = i % 2 ? '/messaging?id=none' : '/api/auth/login';
    socket
      .resume()
      .write(
        `POST ${path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${addressOf(i)}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n`,
      );
    socket.write(Buffer.alloc(990_000, ' '));
  });

/** Opens a raw WebSocket to the hub, for sending any bytes. */
async function openSocket({ port, token }: Attacker): Promise<net.Socket> {
  const socket = net.connect(port, '127.0.0.1').on('error', () => {});
  socket.write(
    `GET /messaging?access_token=${token} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
  );
  await Promise.race([once(socket, 'data'), pause(1000)]);
  socket.resume();
  socket.write(frame('{"protocol":"json","version":1}\u001e'));
  return socket;
}

/** Returns a text frame with the mask 0 (RFC 6455, 5.2). */
function frame(text: string): Buffer {
  const payload = Buffer.from(text);
  const { length } = payload;
  const head =
    length < 126
      ? Buffer.from([0x81, 0x80 | length])
      : length < 65_536
        ? Buffer.from([0x81, 0xfe, length >> 8, length & 255])
        : Buffer.from([0x81, 0xff, 0, 0, 0, 0, length >>> 24, (length >> 16) & 255, (length >> 8) & 255, length & 255]);
  return Buffer.concat([head, Buffer.alloc(4), payload]);
}

/** 10 Mbit/s of frames of one byte each. */
const oneByteFrames: Attack = async (attacker, isOver) => {
  const message = `{"type":1,"target":"Subscribe","arguments":["${'0'.repeat(20_000)}"]}\u001e`;
  const bytes = Buffer.concat(Array.from(message, frame));
  let socket = await openSocket(attacker);
  const start = performance.now();
  for (let sent = 0, at = 0; !isOver(); ) {
    if (socket.destroyed) socket = await openSocket(attacker);
    for (const due = ((performance.now() - start) / 1000) * 1.25e6; sent < due && !socket.destroyed; ) {
      const part = bytes.subarray(at, at + 16_384);
      if (!socket.write(part)) await Promise.race([once(socket, 'drain'), pause(500)]);
      at = (at + part.length) % bytes.length;
      sent += part.length;
    }
    await pause(5);
  }
};

/** The maximum number of connections of one person, each with an incomplete message. */
const halfFrames: Attack = async (attacker, isOver) => {
  while (!isOver()) {
    const sockets = await Promise.all(Array.from({ length: 30 }, () => openSocket(attacker)));
    for (const socket of sockets) socket.write(frame(`{"a":"${'x'.repeat(1_000_000)}`).subarray(0, 990_000));
    await pause(1000);
    for (const socket of sockets) socket.destroy();
  }
};

/** Frames of thousands of calls that fail. */
const callFlood: Attack = async (attacker, isOver) => {
  const call = '{"type":1,"invocationId":"1","target":"Subscribe","arguments":["x"]}\u001e';
  let socket = await openSocket(attacker);
  while (!isOver()) {
    if (socket.destroyed) socket = await openSocket(attacker);
    if (!socket.write(frame(call.repeat(900)))) await Promise.race([once(socket, 'drain'), pause(500)]);
    await pause(20);
  }
};

export const attacks: Readonly<Record<string, Attack>> = {
  ownAccount,
  newPasswords,
  pings,
  wrongCodes,
  oneDoctor,
  ownNetwork,
  passwordFlood,
  signUps,
  ipv6,
  hangingMail,
  negotiateFlood,
  foreignNegotiations,
  halfBodies,
  oneByteFrames,
  halfFrames,
  callFlood,
};
