import type { Address, Sender } from './proxies.ts';
import { remote, remoteConnection } from './proxies.ts';
import type { Audience, CallerAudience, Remote, RemoteConnection } from './types.ts';

const noNames: readonly string[] = [];

/** The receivers of a hub, as used outside its methods. */
export class HubAudience implements Audience<object> {
  protected readonly sender: Sender;

  constructor(sender: Sender) {
    this.sender = sender;
  }

  protected to(kind: Address['kind'], names: readonly string[], except?: Address['except']): Remote<object> {
    return remote(this.sender, { kind, names, except });
  }

  get all(): Remote<object> {
    return this.to('all', noNames);
  }

  except(connectionIds: Iterable<string>): Remote<object> {
    return this.to('all', noNames, new Set(connectionIds));
  }

  user(userId: string): Remote<object> {
    return this.to('user', [userId]);
  }

  users(userIds: Iterable<string>): Remote<object> {
    return this.to('user', [...userIds]);
  }

  group(name: string): Remote<object> {
    return this.to('group', [name]);
  }

  groups(names: Iterable<string>): Remote<object> {
    return this.to('group', [...names]);
  }

  groupExcept(name: string, connectionIds: Iterable<string>): Remote<object> {
    return this.to('group', [name], new Set(connectionIds));
  }

  connection(connectionId: string): RemoteConnection<object> {
    return remoteConnection(this.sender, connectionId);
  }
}

/** The receivers of a hub, as used by one connection's methods. */
export class ConnectionAudience extends HubAudience implements CallerAudience<object> {
  readonly #connectionId: string;

  constructor(sender: Sender, connectionId: string) {
    super(sender);
    this.#connectionId = connectionId;
  }

  get caller(): RemoteConnection<object> {
    return this.connection(this.#connectionId);
  }

  get others(): Remote<object> {
    return this.to('all', noNames, this.#connectionId);
  }

  othersIn(group: string): Remote<object> {
    return this.to('group', [group], this.#connectionId);
  }
}
