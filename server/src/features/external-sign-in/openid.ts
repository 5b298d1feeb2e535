import type { ClientAuth, Configuration } from 'openid-client';
import type { Context } from '../../platform/context.ts';
import { ProviderUnreachable, providerFetch } from '../../platform/provider-requests.ts';
import { isAllowedScheme } from '../../platform/public-addresses.ts';
import type { Provider } from '../brands/providers.ts';

/** Loaded with the first use: most installations have no provider. */
const library = () => import('openid-client');

type Client = Pick<Provider, 'issuer' | 'clientId' | 'clientSecret'>;

/** What must come back with the answer to one request. */
export interface Expected {
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly redirectUri: string;
}

/** Who has signed in at the provider. `email` is null when it is missing or not verified. */
export interface ExternalAccount {
  readonly subject: string;
  readonly email: string | null;
}

type Parts = Pick<Context, 'settings'>;

/** A provider that answers later than this is unreachable, seconds. */
const timeoutSeconds = 10;

/** @throws ProviderUnreachable */
async function configure(parts: Parts, client: Client, limitSeconds = timeoutSeconds): Promise<Configuration> {
  const openid = await library();
  try {
    const configuration = await openid.discovery(
      new URL(client.issuer),
      client.clientId,
      undefined,
      authentication(openid, client),
      {
        [openid.customFetch]: providerFetch(parts),
        timeout: limitSeconds,
        // oxlint-disable-next-line typescript/no-deprecated -- Only on this machine: providerFetch refuses other addresses without https.
        execute: [
          openid.enableNonRepudiationChecks,
          ...(isClearText(parts, client.issuer) ? [openid.allowInsecureRequests] : []),
        ],
      },
    );
    return configuration;
  } catch (error) {
    throw new ProviderUnreachable('discovery failed', { cause: error });
  }
}

const isClearText = (parts: Parts, issuer: string) =>
  issuer.startsWith('http:') && isAllowedScheme(parts.settings.EXTERNAL_PROVIDER_HOSTS, issuer);

/** As the provider supports it: in the body, else in the header, which is the default of OpenID Connect Discovery. */
function authentication(openid: Awaited<ReturnType<typeof library>>, { clientSecret }: Client): ClientAuth {
  const inBody = openid.ClientSecretPost(clientSecret);
  const inHeader = openid.ClientSecretBasic(clientSecret);
  return (server, ...rest) => {
    const isInBody = server.token_endpoint_auth_methods_supported?.includes('client_secret_post') ?? false;
    return (isInBody ? inBody : inHeader)(server, ...rest);
  };
}

/**
 * Returns the address of the provider's sign-in page (authorization code flow with PKCE, RFC 7636), and what its answer must have.
 *
 * @throws ProviderUnreachable
 */
export async function requestSignIn(
  parts: Parts,
  client: Client,
  { state, redirectUri }: { state: string; redirectUri: string },
  limitSeconds = timeoutSeconds,
): Promise<{ address: string; expected: Expected }> {
  const openid = await library();
  const configuration = await configure(parts, client, limitSeconds);
  const expected = { nonce: openid.randomNonce(), codeVerifier: openid.randomPKCECodeVerifier(), redirectUri };
  const address = openid.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: 'openid email',
    state,
    nonce: expected.nonce,
    code_challenge: await openid.calculatePKCECodeChallenge(expected.codeVerifier),
    code_challenge_method: 'S256',
  });
  return { address: address.href, expected };
}

/**
 * Exchanges the code of an answer and verifies the tokens: signature, issuer, audience, nonce and times (OpenID Connect Core, 3.1.3.7).
 *
 * @throws ProviderUnreachable, or another error when the answer is refused or not valid
 */
export async function readAnswer(
  parts: Parts,
  client: Client,
  answer: Readonly<Record<string, string>>,
  { nonce, codeVerifier, redirectUri }: Expected,
): Promise<ExternalAccount> {
  const openid = await library();
  const configuration = await configure(parts, client);
  const { state = '', ...rest } = answer;
  const tokens = await openid.authorizationCodeGrant(
    configuration,
    new URL(`${redirectUri}?${new URLSearchParams({ ...rest, state })}`),
    { pkceCodeVerifier: codeVerifier, expectedNonce: nonce, expectedState: state, idTokenExpected: true },
  );
  const claims = tokens.claims();
  if (!claims) throw new Error('The answer has no ID token.');
  const isComplete = claims['email'] !== undefined || !configuration.serverMetadata().userinfo_endpoint;
  const person = isComplete ? claims : await openid.fetchUserInfo(configuration, tokens.access_token, claims.sub);
  return { subject: claims.sub, email: verifiedEmailOf({ ...person }) };
}

/** Some providers send the claim as a text. */
function verifiedEmailOf(claims: Readonly<Record<string, unknown>>): string | null {
  const { email, email_verified: isVerified } = claims;
  const known = typeof email === 'string' && email !== '' ? email : null;
  return isVerified === true || isVerified === 'true' ? known : null;
}
