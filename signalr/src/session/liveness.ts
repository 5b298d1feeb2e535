import { texts } from '../protocol/texts.ts';
import type { Connection } from './connection.ts';
import { rejectHandshake } from './receive.ts';

/**
 * Checks the timeouts of one connection, once a second: handshake, close, token expiry, reconnect, congestion, keep-alive and client
 * timeout (SPEC.md, L and S rules).
 */
export function checkLiveness(connection: Connection, now: number): void {
  const { host, transport } = connection;
  transport?.tick?.(now);
  transport?.posts?.tick(now);
  if (connection.state === 'handshake') {
    if (now < connection.deadline) return;
    host.counters.handshakeTimeouts++;
    host.logger.warn({ connectionId: connection.id, transport: transport?.name }, 'no handshake came');
    rejectHandshake(connection, texts.handshakeCanceled);
    return;
  }
  if (connection.state !== 'active') return;
  const { expiresAt } = connection.user;
  if (connection.isStopping) {
    if (now >= connection.deadline) connection.end({ reason: 'client-stop' });
  } else if (connection.closing) {
    if (now >= connection.deadline) connection.end(connection.closing);
    else connection.acknowledge(now);
  } else if (host.definition.closeOnAuthExpiration && expiresAt !== undefined && now >= expiresAt) {
    connection.end({ allowReconnect: true, reason: 'auth' });
  } else if (!transport) {
    if (now >= connection.deadline) connection.dispose('lost');
  } else if (connection.resume?.awaitsSequence && now >= connection.deadline) {
    // The client has given up this WebSocket and opened a new connection.
    connection.dispose('timeout');
    transport.destroy();
  } else if (isCongestedTooLong(connection, now)) {
    host.counters.slow++;
    connection.end({ allowReconnect: true, reason: 'slow' });
    transport.destroy();
  } else if (isIncomplete(connection, now)) {
    connection.end({ error: silenceText(connection), allowReconnect: true, reason: 'timeout' });
  } else if (!transport.tick) {
    keepAlive(connection, now);
  }
}

/** Whether the same message or frame has been incomplete for the client timeout. Single bytes do not reset it. */
function isIncomplete(connection: Connection, now: number): boolean {
  const { partial, isDeferred, isPaused, transport, host } = connection;
  if (isPaused || !((partial && !isDeferred) || transport?.hasPartialFrame)) {
    connection.incompleteSince = 0;
    return false;
  }
  // A message was completed since, so this is a different one.
  if (connection.incompleteSince === 0 || connection.lastReceived >= connection.incompleteSince)
    connection.incompleteSince = now;
  return now - connection.incompleteSince >= host.timings.clientTimeoutMs;
}

function silenceText({ host }: Connection): string {
  return host.detailedErrors ? `${texts.closedWithError} ${texts.clientSilent}` : texts.closedWithError;
}

function keepAlive(connection: Connection, now: number): void {
  const { host } = connection;
  if (isSilent(connection, now)) {
    connection.end({ error: silenceText(connection), allowReconnect: true, reason: 'timeout' });
    return;
  }
  connection.acknowledge(now);
  if (now - connection.lastSent >= host.timings.keepAliveMs) connection.ping();
}

function isSilent(connection: Connection, now: number): boolean {
  const { clientTimeoutMs } = connection.host.timings;
  if (!connection.hasPinged || connection.running > 0 || connection.isPaused) return false;
  return now - connection.lastReceived >= clientTimeoutMs;
}

/** Whether the client has read nothing for `timings.sendMs` while messages wait for it. */
function isCongestedTooLong(connection: Connection, now: number): boolean {
  if (!connection.transport?.congested) connection.congestedSince = 0;
  else if (connection.congestedSince === 0) connection.congestedSince = now;
  return connection.congestedSince > 0 && now - connection.congestedSince >= connection.host.timings.sendMs;
}
