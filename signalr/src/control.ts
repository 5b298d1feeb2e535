import { HubAudience } from './audience.ts';
import type { HubRuntime } from './runtime.ts';
import type { CloseOptions, ConnectionSnapshot, HubControl } from './types.ts';

/** A hub as used outside its methods. */
export class HubController extends HubAudience implements HubControl<object, unknown> {
  readonly #runtime: HubRuntime;

  constructor(runtime: HubRuntime) {
    super(runtime.delivery);
    this.#runtime = runtime;
  }

  connections(): ConnectionSnapshot<unknown>[] {
    return Array.from(this.#runtime.delivery.active.values(), (connection) => ({
      connectionId: connection.id,
      userId: connection.user.userId,
      claims: connection.user.claims,
      identity: connection.identity,
      transport: connection.transport?.name ?? 'WebSockets',
      connectedAt: connection.createdAt,
      groups: [...(connection.groups ?? [])],
    }));
  }

  close(connectionId: string, { reason = 'closed', error, allowReconnect }: CloseOptions = {}): boolean {
    const connection = this.#runtime.delivery.active.get(connectionId);
    connection?.end({ error, allowReconnect, reason });
    return connection !== undefined;
  }

  broadcast(value: unknown): void {
    this.#runtime.broadcast(value);
  }

  addToGroup(connectionId: string, group: string): Promise<boolean> {
    return this.#runtime.delivery.changeGroup('join', connectionId, group);
  }

  removeFromGroup(connectionId: string, group: string): Promise<boolean> {
    return this.#runtime.delivery.changeGroup('leave', connectionId, group);
  }
}
