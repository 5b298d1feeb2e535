import { getBrand } from '@roomside/contract/auth/calls.ts';
import {
  type BrandBody,
  deleteBrand,
  getBrandLogo,
  getBrandSettings,
  listBrands,
  saveBrand,
} from '@roomside/contract/brands/calls.ts';
import { brandTexts } from '@roomside/contract/brands/texts.ts';
import { maxLogoBytes } from '@roomside/contract/limits.ts';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { brandBody, providerBody } from '../../../test/build-brand.ts';
import { jpeg } from '../../../test/build-file.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { testSecret } from '../../../test/test-secret.ts';
import { buildUser } from '../../demo/builders.ts';
import { changeSecret, openKeys } from '../../platform/keys.ts';
import { providerOfHost } from './providers.ts';

const app = await startTestApp();
const owner = new pg.Client(app.database.owner);
let root: Person;

beforeAll(async () => {
  await owner.connect();
  const { email } = await buildUser(app.context, { companyId: null, password });
  root = await app.signIn({ email, password });
});
afterAll(() => owner.end());

const save = (more: Partial<BrandBody>) => root.call(saveBrand, { body: brandBody(more) });
const show = async (host: string) => (await app.anonymous().call(getBrand, { query: { host } })).json;
const provider = { issuer: 'https://login.example.com', clientId: 'client', clientSecret: 'secret-of-the-client' };
const png = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d494844520000000100000001080600000000000000', 'hex')]);

test('getBrand: returns the brand of the host; another host is strict and has no providers @CALL-22 @ENTITY-20', async () => {
  const listed = providerBody(provider, { providerClass: 'oidc', logo: jpeg.toString('base64') });
  await save({ hosts: ['acme.test'], strictMode: false, color: '#1F5FA8', providers: [listed] });
  const { providers, ...brand } = await show('ACME.test');
  const passkeyOrigin = app.context.publicUrl;
  expect(brand).toEqual({ brandName: 'Acme Health', color: '#1f5fa8', logoUrl: '', strictMode: false, passkeyOrigin });
  expect(providers).toEqual([
    {
      providerName: 'acme',
      providerClass: 'oidc',
      description: 'Acme Health',
      logoUrl: expect.stringMatching(/^\/api\/brand-logos\/[0-9a-f]{64}$/),
    },
  ]);
  const none = { brandName: '', color: '', logoUrl: '', strictMode: true, providers: [], passkeyOrigin };
  expect(await show('other.test')).toEqual(none);
});

describe('saveBrand', () => {
  test('new brand, sent again with the same key: is the same one, and not a host that is taken', async () => {
    const send = () =>
      root.call(saveBrand, {
        body: brandBody({ hosts: ['lost-response.test'] }),
        headers: { 'idempotency-key': 'a-lost-response' },
      });
    const first = await send();
    expect(first.status).toBe(200);
    expect((await send()).json).toEqual(first.json);
  });

  test('hosts: are stored without scheme, port and capitals, and belong to one brand', async () => {
    const { json } = await save({
      brandName: 'First',
      hosts: ['https://Visits.First.test:8443/', 'xn--BCHER-kva.test'],
    });
    const params = { brandId: json.brandId };
    const { hosts } = (await root.call(getBrandSettings, { params })).json;
    expect(hosts).toEqual(['visits.first.test', 'xn--bcher-kva.test']);
    const { status, problem } = await save({ brandName: 'Second', hosts: ['second.test', 'visits.first.test.'] });
    expect([status, problem.code, problem.fields]).toEqual([
      422,
      'host-taken',
      { hosts: brandTexts.hostTaken('visits.first.test') },
    ]);
    expect((await show('second.test')).brandName).toBe('');
  });

  test.each<[Partial<BrandBody>, Record<string, string>]>([
    [{ hosts: [] }, { hosts: 'Required' }],
    [{ hosts: ['visits.test/path'] }, { hosts: brandTexts.hostNotValid }],
    [{ color: 'red' }, { color: brandTexts.colorNotValid }],
    [{ color: '#7a9bff' }, { color: brandTexts.colorTooLight }],
    [{ logo: Buffer.from('<svg/>').toString('base64') }, { logo: brandTexts.logoType }],
    [{ logo: Buffer.alloc(maxLogoBytes + 1).toString('base64') }, { logo: brandTexts.logoTooLarge(48) }],
    [
      { providers: [{ ...providerBody(provider), issuer: 'http://login.example.com' }] },
      { 'providers.0.issuer': brandTexts.issuerNeedsHttps },
    ],
    [
      { providers: [{ ...providerBody(provider), clientSecret: undefined }] },
      { 'providers.0.clientSecret': 'Required' },
    ],
    [
      { providers: [providerBody(provider), providerBody(provider)] },
      { 'providers.1.providerName': brandTexts.sameProviderName },
    ],
  ])('wrong field: is named, and nothing is stored (%#)', async (more, fields) => {
    const before = (await root.call(listBrands, { query: { top: 5, skip: 0 } })).json.total;
    const { status, problem } = await save({ hosts: ['wrong.test'], ...more });
    expect([status, problem.fields]).toEqual([422, fields]);
    expect((await root.call(listBrands, { query: { top: 5, skip: 0 } })).json.total).toBe(before);
  });

  test('provider: keeps its secret while its issuer stays; an old version is stale', async () => {
    const providers = [providerBody(provider), providerBody(provider, { providerName: 'second' })];
    const { json } = await save({ hosts: ['keeps.test'], providers });
    const params = { brandId: json.brandId };
    const stored = (await root.call(getBrandSettings, { params })).json;
    const secrets = async () =>
      (
        await owner.query<{ name: string; hex: string }>(
          "select name, encode(client_secret, 'hex') as hex from brand_providers where brand_id = $1 order by position",
          [json.brandId],
        )
      ).rows;
    const [first, second] = stored.providers;
    if (!first || !second) throw new Error('No providers are stored.');
    const before = await secrets();
    const body = brandBody({ brandId: json.brandId, hosts: stored.hosts });
    // They change their names with each other.
    const exchanged = [
      { ...second, providerName: first.providerName },
      { ...first, providerName: second.providerName },
    ];
    expect((await root.call(saveBrand, { body: { ...body, providers: exchanged } })).status).toBe(200);
    const swapped = await secrets();
    expect(swapped.map(({ hex }) => hex)).toEqual(before.map(({ hex }) => hex).toReversed());
    expect((await root.call(saveBrand, { body: { ...body, providers: exchanged } })).problem.code).toBe('stale');
    const elsewhere = { ...first, issuer: 'https://evil.example.com' };
    const refused = await root.call(saveBrand, { body: { ...body, version: 1, providers: [elsewhere] } });
    expect(refused.problem.fields).toEqual({ 'providers.0.clientSecret': 'Required' });
  });
});

test('logo: is served as its content is, and deleted with the last brand that shows it', async () => {
  const { json } = await save({ hosts: ['logo.test'], logo: png.toString('base64') });
  const { logoUrl } = await show('logo.test');
  const logoUid = logoUrl.split('/').at(-1) ?? '';
  const fetched = await app.anonymous().call(getBrandLogo, { params: { logoUid } });
  expect([fetched.status, fetched.headers.get('content-type'), fetched.headers.get('x-content-type-options')]).toEqual([
    200,
    'image/png',
    'nosniff',
  ]);
  expect(Number(fetched.headers.get('content-length'))).toBe(png.length);
  expect((await root.call(deleteBrand, { params: { brandId: json.brandId } })).status).toBe(204);
  expect((await app.anonymous().call(getBrandLogo, { params: { logoUid } })).status).toBe(404);
  expect((await show('logo.test')).strictMode).toBe(true);
});

test('listBrands: finds by name and host, sorted by name', async () => {
  await save({ brandName: 'Zeta B', hosts: ['b.zeta.test'] });
  await save({ brandName: 'Zeta A', hosts: ['a.zeta.test', 'c.zeta.test'] });
  const list = async (filter: string) =>
    (await root.call(listBrands, { query: { top: 5, skip: 0, filter } })).json.data.map(({ brandName }) => brandName);
  expect(await list('zeta')).toEqual(['Zeta A', 'Zeta B']);
  expect(await list('c.zeta')).toEqual(['Zeta A']);
});

test('client secret: is readable after SECRET_KEY was changed', async () => {
  await save({ hosts: ['rotated.test'], providers: [providerBody(provider)] });
  const { db } = app.context;
  const next = 'another-secret-another-secret-another';
  expect(await changeSecret(db, testSecret, next)).toBe(true);
  const keys = await openKeys(db, next);
  const found = await db.open({ kind: 'unauthenticated' }, (tx) =>
    providerOfHost(tx, keys, { host: 'rotated.test', providerName: 'acme' }),
  );
  expect(found?.clientSecret).toBe(provider.clientSecret);
});
