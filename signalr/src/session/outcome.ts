import { HubError } from '../hub.ts';
import type { Invocation } from '../protocol/messages.ts';
import { texts } from '../protocol/texts.ts';
import type { ClientChannel } from './client-channel.ts';

/** A refusal whose message is, as it stands, the error of the completion. */
export class Refusal extends Error {}

/** Answers an invocation with its result. */
export function succeed(connection: ClientChannel, message: Invocation, result: unknown): void {
  const { invocationId } = message;
  if (invocationId === undefined) return;
  try {
    connection.sendMessage({ type: 3, invocationId, hasResult: true, result: result ?? null });
  } catch (error) {
    fail(connection, message, error);
  }
}

/** Answers an invocation with an error, and logs it. */
export function fail(connection: ClientChannel, message: Invocation, error: unknown): void {
  const text = describe(connection, message, error);
  const { invocationId } = message;
  if (invocationId !== undefined) connection.respond({ type: 3, invocationId, error: text });
}

/** Logs a failed invocation and says what the client may know of it. */
export function describe(connection: ClientChannel, message: Invocation, error: unknown): string {
  const { host } = connection;
  const expected = error instanceof Refusal || error instanceof HubError;
  if (!expected) host.counters.failures++;
  const details = { connectionId: connection.id, target: message.target.slice(0, 100) };
  const text = error instanceof Refusal ? error.message : explain(connection, texts.unexpected(message.target), error);
  if (expected) host.logger.debug({ ...details, refusal: text }, 'invocation refused');
  else host.logger.error({ ...details, err: error }, 'hub method failed');
  return text;
}

/** Adds what the client may know about an error: everything about a HubError, the rest only with detailed errors. */
export function explain(connection: ClientChannel, text: string, error: unknown): string {
  try {
    if (error instanceof HubError) return `${text} HubException: ${error.message}`;
    if (connection.host.detailedErrors && error instanceof Error) return `${text} ${error.name}: ${error.message}`;
  } catch {
    // An error whose message cannot be read, or is no text.
  }
  return text;
}
