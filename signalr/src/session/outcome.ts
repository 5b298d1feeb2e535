import { HubError } from '../hub.ts';
import type { Invocation } from '../protocol/messages.ts';
import { texts } from '../protocol/texts.ts';
import type { ClientChannel } from './client-channel.ts';

/** An error whose message becomes the error of the completion unchanged. */
export class Refusal extends Error {}

/** Completes an invocation with its result. Returns false when the result could not be encoded; the invocation gets an error then. */
export function succeed(connection: ClientChannel, message: Invocation, result: unknown): boolean {
  const { invocationId } = message;
  if (invocationId === undefined) return true;
  try {
    connection.sendMessage({ type: 3, invocationId, hasResult: true, result: result ?? null });
    return true;
  } catch (error) {
    fail(connection, message, error);
    return false;
  }
}

/** Completes an invocation with an error, and logs it. */
export function fail(connection: ClientChannel, message: Invocation, error: unknown): void {
  const text = logFailure(connection, message, error);
  const { invocationId } = message;
  if (invocationId !== undefined) connection.respond({ type: 3, invocationId, error: text });
}

/** Logs a failed invocation and returns the error text for the client. */
export function logFailure(connection: ClientChannel, message: Invocation, error: unknown): string {
  const { host } = connection;
  const expected = error instanceof Refusal || error instanceof HubError;
  if (!expected) host.counters.failures++;
  const details = { connectionId: connection.id, target: message.target.slice(0, 100) };
  const text =
    error instanceof Refusal ? error.message : withErrorDetail(connection, texts.unexpected(message.target), error);
  if (expected) host.logger.debug({ ...details, refusal: text }, 'invocation refused');
  else host.logger.error({ ...details, err: error }, 'hub method failed');
  return text;
}

/** Appends the message of a `HubError` to the text; that of other errors only with detailed errors. */
export function withErrorDetail(connection: ClientChannel, text: string, error: unknown): string {
  try {
    if (error instanceof HubError) return `${text} HubException: ${error.message}`;
    if (connection.host.detailedErrors && error instanceof Error) return `${text} ${error.name}: ${error.message}`;
  } catch {
    // The error's message cannot be read or is not a string.
  }
  return text;
}
