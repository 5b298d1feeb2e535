/**
 * The texts that clients receive. They follow ASP.NET Core's wording, because client code compares them (SPEC.md).
 */
export const texts = {
  nonIntegerVersion: 'The client requested a non-integer protocol version.',
  versionTooOld: (version: number) =>
    `The client requested version '${version}', but the server does not support this version.`,
  idRequired: 'Connection ID required',
  idUnknown: 'No Connection with that ID',
  transportNotOffered: (transport: string) => `${transport} transport not supported by this end point type`,
  changedTransport: 'Cannot change transports mid-connection',
  alreadyConnected: 'The connection is in use',
  postOnWebSocket: 'POST requests are not allowed for WebSocket connections.',
  notDeletable: 'Cannot terminate this connection using the DELETE endpoint.',
  otherUser: 'The connection belongs to another user',
  originRefused: 'This origin may not connect',
  tooManyNegotiations: 'Too many connections are being negotiated',
  busy: 'Too many clients are connecting',
  shuttingDown: 'The server is shutting down',

  handshakeFailed: 'An unexpected error occurred during connection handshake.',
  handshakeCanceled: 'Handshake was canceled.',
  protocolUnknown: (protocol: string) => `The protocol '${protocol}' is not supported.`,
  protocolVersion: (protocol: string, version: number) =>
    `The server does not support version ${version} of the '${protocol}' protocol.`,
  binaryOnText: (protocol: string) =>
    `Cannot use the '${protocol}' protocol on the current transport. The transport does not support 'Binary' transfer format.`,

  sequenceMissing: 'Messages between the last acknowledged one and this one are missing.',

  closedWithError: 'Connection closed with an error.',
  tooLarge: (limit: number) => `The maximum message size of ${limit}B was exceeded.`,
  clientSilent: "Client hasn't sent a message/ping within the configured ClientTimeoutInterval.",
  replaced: 'Replaced by a newer connection.',
  missing: (property: string) => `Missing required property '${property}'.`,
  wrongType: (property: string, type: string) => `Expected '${property}' to be of type ${type}.`,
  exclusive: "The 'error' and 'result' properties are mutually exclusive.",
  malformed: 'Error reading JSON.',
  badLength: 'Messages over 2GB in size are not supported.',
  badMessagePack: 'Error reading MessagePack.',

  failedToInvoke: (method: string) => `Failed to invoke '${method}' due to an error on the server.`,
  noSuchMethod: 'HubException: Method does not exist.',
  argumentCount: (given: number, expected: number) =>
    `InvalidDataException: Invocation provides ${given} argument(s) but target expects ${expected}.`,
  invalidArgument: (position: number, where: string, message: string) =>
    `HubException: Argument ${position}${where} is invalid: ${message}`,
  messageTooLarge: (size: number, limit: number) =>
    `HubException: The message has ${size} bytes, but at most ${limit} are allowed.`,
  unauthorized: (method: string) => `Failed to invoke '${method}' because user is unauthorized`,
  unexpected: (method: string) => `An unexpected error occurred invoking '${method}' on the server.`,
  notStreaming: (method: string) =>
    `The client attempted to invoke the non-streaming '${method}' method with a streaming invocation.`,
  streaming: (method: string) =>
    `The client attempted to invoke the streaming '${method}' method with a non-streaming invocation.`,
  streamFailed: 'An error occurred on the server while streaming results.',
  idInUse: (id: string) => `Invocation ID '${id}' is already in use.`,
  tooManyStreams: (limit: number) => `HubException: At most ${limit} streams may be open at a time.`,
  tooManyCalls: (limit: number) => `HubException: At most ${limit} calls a second are allowed.`,
  tooManyGroups: (limit: number) => `A connection may be in at most ${limit} groups.`,
  clientGone: 'The client has disconnected.',
  noAnswer: (ms: number) => `The client has not answered within ${ms} ms.`,
  notHere: 'There is no such connection.',
  streamCount: (given: number, expected: number) =>
    `HubException: Client sent ${given} stream(s), Hub method expects ${expected}.`,
};
