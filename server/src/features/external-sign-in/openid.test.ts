import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { isUnreachable, providerFetch } from '../../platform/provider-requests.ts';
import { readSettings } from '../../platform/settings.ts';
import { requestSignIn } from './openid.ts';

const withHosts = (hosts: string) => ({ settings: readSettings({ EXTERNAL_PROVIDER_HOSTS: hosts }) });

/** Starts a server on this machine that counts its requests and answers none of them. */
async function startSilent() {
  let requests = 0;
  const server = http.createServer(() => (requests += 1)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, requests: () => requests };
}

/** Returns the messages of an error and its causes. */
function messagesOf(error: unknown): string[] {
  return error instanceof Error ? [error.message, ...messagesOf(error.cause)] : [];
}

test.each([
  ['http://login.example.com/', '', 'only https is allowed'],
  ['http://login.example.com/', 'login.example.com', 'only https is allowed'],
  ['http://127.0.0.1:9/', '', 'only https is allowed'],
  ['http://127.0.0.1:9/', '127.0.0.1:8', 'only https is allowed'],
  ['https://127.0.0.1:9/', '', 'in a private network'],
  ['https://10.1.2.3/', '', 'in a private network'],
  ['https://169.254.169.254/', '', 'in a private network'],
  ['https://[::1]:9/', '', 'in a private network'],
  ['https://[::ffff:192.168.0.1]/', '', 'in a private network'],
])('providerFetch: %s with the hosts %j is refused', async (address, hosts, reason) => {
  const error = await providerFetch(withHosts(hosts))(address, {}).catch((failure: unknown) => failure);
  expect(isUnreachable(error)).toBe(true);
  expect(messagesOf(error)).toContain(reason);
});

test('provider that does not answer in time: is unreachable', async () => {
  const silent = await startSilent();
  const client = { issuer: `http://127.0.0.1:${silent.port}`, clientId: 'roomside', clientSecret: 'secret' };
  const asked = { state: 'state', redirectUri: 'https://visits.example.com/' };
  const error = await requestSignIn(withHosts('127.0.0.1'), client, asked, 2).catch((failure: unknown) => failure);
  expect(isUnreachable(error)).toBe(true);
  expect(silent.requests()).toBe(1);
});
