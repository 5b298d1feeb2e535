export type { AdmissionOptions } from './admission.ts';
export { memory } from './backplane/memory.ts';
export { systemClock } from './clock.ts';
export type { BytesMeasurement, ConnectionMeasurement, InvocationMeasurement } from './diagnostics.ts';
export type { CorsOptions } from './http/cors.ts';
export { redactUrl } from './http/redact.ts';
export type {
  AuthenticationRequest,
  Hub,
  HubDefinition,
  HubFilter,
  HubInvocation,
  Inputs,
  Limits,
  Methods,
  Redirect,
  StatefulReconnect,
  Timings,
} from './hub.ts';
export { HubError, hub } from './hub.ts';
export type { Streaming, Uploading } from './method-kinds.ts';
export { stream, upload } from './method-kinds.ts';
export type { Message, Protocol, Read } from './protocol/messages.ts';
export { ProtocolError } from './protocol/messages.ts';
export type { HubServer, HubServerOptions, HubStats } from './server.ts';
export { createHubServer } from './server.ts';
export type {
  Audience,
  Backplane,
  BackplaneLink,
  BackplaneMember,
  CallerAudience,
  Clock,
  CloseOptions,
  ConnectionSnapshot,
  ConnectRequest,
  Context,
  DisconnectReason,
  HubControl,
  Identity,
  Logger,
  OwnGroups,
  Remote,
  RemoteConnection,
  StandardSchema,
  TransportName,
} from './types.ts';
