import * as z from 'zod/mini';
import { call } from '../call.ts';
import { limits, maxBrandHosts, maxBrandProviders, maxLogoBytes } from '../limits.ts';
import { id, idOrZero, line, listQuery, listResult, requiredLine, version } from '../shape.ts';
import { fieldTexts } from '../texts.ts';
import { isReadableWithWhite } from './color.ts';
import { hostOf } from './hosts.ts';
import { brandTexts } from './texts.ts';

const { required, notValid } = fieldTexts;

const hosts = z.array(z.string()).check(
  z.refine((all) => all.length > 0, { error: required }),
  z.refine((all) => all.length <= maxBrandHosts, { error: brandTexts.manyHosts(maxBrandHosts) }),
  z.refine((all) => all.every((host) => host.length <= limits.host && hostOf(host) !== ''), {
    error: brandTexts.hostNotValid,
  }),
);

/** '#rrggbb', or '' for the usual color. */
const color = z.string().check(
  z.regex(/^(#[0-9a-f]{6})?$/i, brandTexts.colorNotValid),
  z.refine((value) => !/^#[0-9a-f]{6}$/i.test(value) || isReadableWithWhite(value), {
    error: brandTexts.colorTooLight,
  }),
);

/** A new picture in base64, '' = none, undefined = as stored. */
const logo = z.optional(
  z
    .string()
    .check(
      z.maxLength(Math.ceil(maxLogoBytes / 3) * 4, brandTexts.logoTooLarge(maxLogoBytes / 1024)),
      z.regex(/^[a-zA-Z0-9+/]*={0,2}$/, notValid),
    ),
);

const domain = z.string().check(z.regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/i, brandTexts.domainNotValid));

/** An address without query, fragment and credentials. Whether http is allowed is for the server's settings. */
const issuer = /^(\s*|https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?)$/;

/** What is typed about a provider (ENTITY-20). */
const providerFields = {
  providerId: idOrZero,
  /** In the address that starts a sign-in; unique in the brand. */
  providerName: z
    .string()
    .check(z.regex(/\S/, required), z.regex(/^[a-z0-9-]{1,50}$/, brandTexts.providerNameNotValid)),
  providerClass: line(limits.name),
  description: requiredLine(limits.name),
  /** The issuer of OpenID Connect; its configuration is read from there. */
  issuer: z
    .string()
    .check(
      z.regex(/\S/, required),
      z.maxLength(limits.issuer, fieldTexts.maxLength(limits.issuer)),
      z.regex(issuer, brandTexts.issuerNotValid),
    ),
  clientId: requiredLine(limits.issuer),
  /** The domains of emails that the provider may vouch for; none = all. */
  emailDomains: z.array(domain).check(z.maxLength(20, notValid)),
};

const brandFields = {
  brandId: idOrZero,
  version,
  brandName: requiredLine(limits.name),
  hosts,
  color,
  /** No one can sign up. */
  strictMode: z.boolean(),
};

/** A brand as its editor shows it. Secrets are not part of it. `logoUrl` '' = none. */
export const getBrandSettings = call({
  name: 'getBrandSettings',
  summary: 'A brand with its external providers.',
  method: 'GET',
  path: '/api/brands/:brandId',
  who: ['Super'],
  params: z.object({ brandId: id }),
  result: z.object({
    ...brandFields,
    logoUrl: z.string(),
    providers: z.array(z.object({ ...providerFields, logoUrl: z.string() })),
  }),
});

const brandBody = z
  .object({
    ...brandFields,
    logo,
    providers: z
      .array(
        z.object({
          ...providerFields,
          /** Required for a new provider and for one with another issuer; undefined = as stored. */
          clientSecret: z.optional(requiredLine(limits.clientSecret)),
          logo,
        }),
      )
      .check(z.maxLength(maxBrandProviders, notValid)),
  })
  .check((context) => {
    const { providers } = context.value;
    for (const [index, { providerId, providerName, clientSecret }] of providers.entries()) {
      if (providerId === 0 && clientSecret === undefined)
        context.issues.push({
          code: 'custom',
          input: providers,
          message: required,
          path: ['providers', index, 'clientSecret'],
        });
      if (providers.findIndex((other) => other.providerName === providerName) < index)
        context.issues.push({
          code: 'custom',
          input: providers,
          message: brandTexts.sameProviderName,
          path: ['providers', index, 'providerName'],
        });
    }
  });
export type BrandBody = z.infer<typeof brandBody>;

/** `brandId` 0 = new. The providers replace those that are stored, in their order. */
export const saveBrand = call({
  name: 'saveBrand',
  summary: 'Creates or saves a brand.',
  method: 'PUT',
  path: '/api/brands',
  who: ['Super'],
  body: brandBody,
  result: z.object({ brandId: z.int(), version: z.int() }),
  creates: true,
  refusals: ['stale', 'host-taken', 'wrong-media', 'key-reused'],
});

export const brandColumns = ['brandName', 'created'] as const;

const brandRow = z.object({
  brandId: z.int(),
  brandName: z.string(),
  hosts: z.array(z.string()),
  strictMode: z.boolean(),
  providerCount: z.int(),
  created: z.string(),
});
export type BrandRow = z.infer<typeof brandRow>;

/** `filter` matches the name and the hosts. */
export const listBrands = call({
  name: 'listBrands',
  summary: 'The brands of the installation.',
  method: 'GET',
  path: '/api/brands',
  who: ['Super'],
  query: z.object(listQuery(brandColumns)),
  result: listResult(brandRow),
});

/** The pages of its hosts then look as usual, and no one can sign up there. */
export const deleteBrand = call({
  name: 'deleteBrand',
  summary: 'Deletes a brand.',
  method: 'DELETE',
  path: '/api/brands/:brandId',
  who: ['Super'],
  params: z.object({ brandId: id }),
});

/** The picture of a brand or provider, for pages before the sign-in. */
export const getBrandLogo = call({
  name: 'getBrandLogo',
  summary: 'The logo of a brand or of an external provider.',
  method: 'GET',
  path: '/api/brand-logos/:logoUid',
  who: 'anyone',
  params: z.object({ logoUid: z.string().check(z.regex(/^[0-9a-f]{64}$/)) }),
  format: 'bytes',
  refusals: ['not-found'],
});
