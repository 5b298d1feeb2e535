import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

/** What the provider says about an account. */
interface Account {
  email?: string;
  email_verified?: boolean;
}

export interface OpenIdProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** By subject. */
  readonly accounts: Map<string, Account>;
  /** Allows another address to which it sends browsers back. Call before the first request. */
  readonly redirectUris: string[];
  close(): Promise<void>;
}

/** Starts a real provider of OpenID Connect on this machine. Its page lists the accounts: one signs in with a click. */
export async function startOpenIdProvider(): Promise<OpenIdProvider> {
  const server = http.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const accounts = new Map<string, Account>();
  const redirectUris: string[] = [];
  const client = { clientId: 'roomside', clientSecret: 'client-secret-of-the-tests' };
  let started: Provider | undefined;
  server.on('request', (request, response) => {
    const provider = (started ??= createProvider({ issuer, accounts, redirectUris, ...client }));
    const page = /^\/interaction\/[\w-]+(\/(\w+))?$/.exec(request.url ?? '');
    if (!page) return void provider.callback()(request, response);
    const subject = page[2];
    if (subject === undefined) return showAccounts(response, request.url ?? '', [...accounts.keys()]);
    const cancelled = { error: 'access_denied', error_description: 'The person has cancelled.' };
    const result = subject === 'cancel' ? cancelled : { login: { accountId: subject } };
    void provider.interactionFinished(request, response, result);
  });
  return {
    issuer,
    ...client,
    accounts,
    redirectUris,
    async close() {
      server.closeAllConnections();
      server.close();
      if (server.listening) await once(server, 'close');
    },
  };
}

interface Options extends Pick<OpenIdProvider, 'issuer' | 'accounts' | 'redirectUris' | 'clientId' | 'clientSecret'> {}

function createProvider({ issuer, accounts, redirectUris, clientId, clientSecret }: Options): Provider {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: redirectUris }],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    cookies: { keys: ['key-of-the-tests'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: async (_context, subject) => ({
      accountId: subject,
      claims: async () => ({ sub: subject, ...accounts.get(subject) }),
    }),
    // The person is not asked what the application may know.
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid email');
      await grant.save();
      return grant;
    },
    ttl: { Session: 600, Interaction: 600, Grant: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
  });
}

function showAccounts(response: http.ServerResponse, path: string, subjects: readonly string[]): void {
  const links = [...subjects, 'cancel'].map((subject) => `<p><a href="${path}/${subject}">${subject}</a></p>`);
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.end(
    `<!doctype html><html lang="en"><title>Provider</title><h1>Choose an account</h1>${links.join('')}</html>`,
  );
}
