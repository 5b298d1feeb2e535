import { texts } from '../protocol/texts.ts';
import type { Connection } from './connection.ts';
import { rejectHandshake } from './receive.ts';
import type { Active, Handshake } from './state.ts';

/**
 * Checks the timeouts of one connection, once a second: handshake, close, token expiry, reconnect, congestion, keep-alive and client
 * timeout (SPEC.md, L and S rules).
 */
export function checkLiveness(connection: Connection, now: number): void {
  const { transport } = connection;
  transport?.tick?.(now);
  transport?.posts?.tick(now);
  // The transport's check may have ended the connection.
  const { state } = connection;
  if (state.kind === 'handshake') checkHandshake(connection, state, now);
  else if (state.kind === 'active') checkActive(connection, state, now);
}

function checkHandshake(connection: Connection, { deadline, transport }: Handshake, now: number): void {
  const { host } = connection;
  if (now < deadline) return;
  host.counters.handshakeTimeouts++;
  host.logger.warn({ connectionId: connection.id, transport: transport.name }, 'no handshake came');
  rejectHandshake(connection, texts.handshakeCanceled);
}

function checkActive(connection: Connection, state: Active, now: number): void {
  const { host, user } = connection;
  const { transport, deadline } = state;
  const { expiresAt } = user;
  if (state.stoppedTransport) {
    if (now >= deadline) connection.end({ reason: 'client-stop' });
  } else if (state.closing) {
    if (now >= deadline) connection.end(state.closing);
    else connection.acknowledge(now);
  } else if (host.definition.closeOnAuthExpiration && expiresAt !== undefined && now >= expiresAt) {
    connection.end({ allowReconnect: true, reason: 'auth' });
  } else if (!transport) {
    if (now >= deadline) connection.dispose('lost');
  } else if (state.resume?.awaitsSequence && now >= deadline) {
    // The client has given up this WebSocket and opened a new connection.
    connection.dispose('timeout');
    transport.destroy();
  } else if (isCongestedTooLong(state, host.timings.sendMs, now)) {
    host.counters.slow++;
    connection.end({ allowReconnect: true, reason: 'slow' });
    transport.destroy();
  } else if (isIncomplete(connection, now)) {
    connection.end({ error: silenceText(connection), allowReconnect: true, reason: 'timeout' });
  } else if (!transport.tick) {
    keepAlive(connection, state, now);
  }
}

/** Whether the same message or frame has been incomplete for the client timeout. Single bytes do not reset it. */
function isIncomplete(connection: Connection, now: number): boolean {
  const { inbound, transport, host } = connection;
  const hasPartialMessage = inbound.partial !== undefined && !inbound.isDeferred;
  if (inbound.isPaused || !(hasPartialMessage || transport?.hasPartialFrame)) {
    inbound.incompleteSince = 0;
    return false;
  }
  // A message was completed since, so this is a different one.
  if (inbound.incompleteSince === 0 || connection.lastReceived >= inbound.incompleteSince)
    inbound.incompleteSince = now;
  return now - inbound.incompleteSince >= host.timings.clientTimeoutMs;
}

function silenceText({ host }: Connection): string {
  return host.detailedErrors ? `${texts.closedWithError} ${texts.clientSilent}` : texts.closedWithError;
}

function keepAlive(connection: Connection, state: Active, now: number): void {
  const { host } = connection;
  if (isSilent(connection, state, now)) {
    connection.end({ error: silenceText(connection), allowReconnect: true, reason: 'timeout' });
    return;
  }
  connection.acknowledge(now);
  if (now - connection.lastSent >= host.timings.keepAliveMs) connection.ping();
}

function isSilent(connection: Connection, { hasPinged }: Active, now: number): boolean {
  const { clientTimeoutMs } = connection.host.timings;
  if (!hasPinged || (connection.calls?.running ?? 0) > 0 || connection.inbound.isPaused) return false;
  return now - connection.lastReceived >= clientTimeoutMs;
}

/** Whether the client has read nothing for `limitMs` while messages wait for it. */
function isCongestedTooLong(state: Active, limitMs: number, now: number): boolean {
  if (!state.transport?.congested) state.congestedSince = 0;
  else if (state.congestedSince === 0) state.congestedSince = now;
  return state.congestedSince > 0 && now - state.congestedSince >= limitMs;
}
