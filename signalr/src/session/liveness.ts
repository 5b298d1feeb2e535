import { texts } from '../protocol/texts.ts';
import type { Connection } from './connection.ts';
import { refuse } from './receive.ts';

/**
 * Looks after one connection, once a second: handshake, goodbye, expired token, a lost line, silence in both directions (SPEC.md, L and
 * S rules).
 */
export function check(connection: Connection, now: number): void {
  const { host, transport } = connection;
  transport?.tick?.(now);
  transport?.inbox?.tick(now);
  if (connection.state === 'handshake') {
    if (now < connection.deadline) return;
    host.counters.handshakeTimeouts++;
    host.logger.warn({ connectionId: connection.id, transport: transport?.name }, 'no handshake came');
    refuse(connection, texts.handshakeCanceled);
    return;
  }
  if (connection.state !== 'active') return;
  const { expiresAt } = connection.who;
  if (connection.hasLeft) {
    if (now >= connection.deadline) connection.end({ reason: 'client-stop' });
  } else if (connection.closing) {
    if (now >= connection.deadline) connection.end(connection.closing);
    else connection.acknowledge(now);
  } else if (host.definition.closeOnAuthExpiration && expiresAt !== undefined && now >= expiresAt) {
    connection.end({ allowReconnect: true, reason: 'auth' });
  } else if (!transport) {
    if (now >= connection.deadline) connection.dispose('lost');
  } else if (connection.resume?.awaitsSequence && now >= connection.deadline) {
    // A client that will not use this line: it has given up and connected anew.
    connection.dispose('timeout');
    transport.destroy();
  } else if (isStuck(connection, now)) {
    host.counters.slow++;
    connection.end({ allowReconnect: true, reason: 'slow' });
    transport.destroy();
  } else if (isIncomplete(connection, now)) {
    connection.end({ error: silenceText(connection), allowReconnect: true, reason: 'timeout' });
  } else if (!transport.tick) {
    keepAlive(connection, now);
  }
}

/** Whether the same message, or frame, has been incomplete for too long. Single bytes are no sign of life. */
function isIncomplete(connection: Connection, now: number): boolean {
  const { partial, isDeferred, isHeld, transport, host } = connection;
  if (isHeld || !((partial && !isDeferred) || transport?.isMidway)) {
    connection.incompleteSince = 0;
    return false;
  }
  // Another one, if a message was completed since.
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
  if (!connection.timeoutArmed || connection.running > 0 || connection.isHeld) return false;
  return now - connection.lastReceived >= clientTimeoutMs;
}

/** Whether the client has taken nothing for too long, though there is something for it. */
function isStuck(connection: Connection, now: number): boolean {
  if (!connection.transport?.congested) connection.stuckSince = 0;
  else if (connection.stuckSince === 0) connection.stuckSince = now;
  return connection.stuckSince > 0 && now - connection.stuckSince >= connection.host.timings.sendMs;
}
