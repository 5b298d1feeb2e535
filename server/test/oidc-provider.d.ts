declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  /** The part that the tests use. */
  export interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }
  interface Context {
    readonly oidc: {
      readonly provider: { readonly Grant: new (of: { clientId: string; accountId: string }) => Grant };
      readonly client: { readonly clientId: string };
      readonly session: { readonly accountId: string };
    };
  }

  /** A provider of OpenID Connect. */
  export default class Provider {
    constructor(
      issuer: string,
      options: {
        clients: readonly object[];
        jwks: { keys: readonly object[] };
        claims: Record<string, readonly string[]>;
        cookies: { keys: readonly string[] };
        features: { devInteractions: { enabled: boolean } };
        interactions: { url(context: unknown, interaction: { uid: string }): string };
        findAccount(context: unknown, subject: string): Promise<{ accountId: string; claims(): Promise<object> }>;
        loadExistingGrant(context: Context): Promise<Grant>;
        ttl: Record<string, number>;
      },
    );
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  }
}
