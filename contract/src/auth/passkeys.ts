import * as z from 'zod/mini';

/** What browsers return for a passkey (WebAuthn, section 5.1): bytes are base64url. */
const bytes = (max: number) => z.string().check(z.maxLength(max), z.regex(/^[\w-]*$/));
const credential = {
  id: bytes(1400),
  rawId: bytes(1400),
  type: z.literal('public-key'),
  authenticatorAttachment: z.optional(z.string().check(z.maxLength(50))),
  clientExtensionResults: z.record(z.string(), z.unknown()),
};

/** A new passkey. */
export const passkeyRegistration = z.object({
  ...credential,
  response: z.object({ clientDataJSON: bytes(5_000), attestationObject: bytes(20_000) }),
});
export type PasskeyRegistration = z.infer<typeof passkeyRegistration>;

/** A challenge signed by a passkey. */
export const passkeyAssertion = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: bytes(5_000),
    authenticatorData: bytes(5_000),
    signature: bytes(2_000),
    userHandle: z.optional(bytes(200)),
  }),
});
export type PasskeyAssertion = z.infer<typeof passkeyAssertion>;

/** The browser's options, as the library on both sides makes and reads them. */
export const passkeyOptions = z.record(z.string(), z.unknown());
