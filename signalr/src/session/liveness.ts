import { texts } from '../protocol/texts.ts';
import type { Connection } from '../transport/connection.ts';
import { refuse } from './receive.ts';

/** Looks after one connection, once a second: handshake, goodbye, expired token, silence in both directions (SPEC.md, L rules). */
export function check(connection: Connection, now: number): void {
  const { owner } = connection;
  if (connection.state === 'handshake') {
    if (now >= connection.deadline) refuse(connection, texts.handshakeCanceled);
    return;
  }
  if (connection.state !== 'active') return;
  const { expiresAt } = connection.who;
  if (connection.closing) {
    if (now >= connection.deadline) connection.end(connection.closing);
  } else if (owner.definition.closeOnAuthExpiration && expiresAt !== undefined && now >= expiresAt) {
    connection.end({ allowReconnect: true, reason: 'auth' });
  } else if (isSilent(connection, now)) {
    const error = owner.detailedErrors ? `${texts.closedWithError} ${texts.clientSilent}` : texts.closedWithError;
    connection.end({ error, allowReconnect: true, reason: 'timeout' });
  } else if (now - connection.lastSent >= owner.timings.keepAliveMs) {
    connection.ping();
  }
}

function isSilent(connection: Connection, now: number): boolean {
  const { clientTimeoutMs } = connection.owner.timings;
  return connection.timeoutArmed && connection.running === 0 && now - connection.lastReceived >= clientTimeoutMs;
}
