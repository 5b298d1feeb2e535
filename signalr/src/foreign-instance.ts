/** The node's name at the start of a connection's id and token; `createHubServer` accepts no other names. */
const instancePattern = /^([\w-]{1,64})\./;

/** Returns the name of the node that holds a connection; undefined when that is `own`. */
export function foreignInstance(token: string, own: string): string | undefined {
  const instance = instancePattern.exec(token)?.[1];
  return instance === own ? undefined : instance;
}
