import type { ExternalFailure } from '@roomside/contract/external-sign-in/calls.ts';

/** Texts of sign-in by external providers (LOGIN-2). */
export const texts = {
  with: (description: string) => `Sign in with ${description}`,
  signingIn: 'Signing you in…',
  failures: {
    cancelled: 'The sign-in was cancelled. Please try again.',
    'provider-error':
      'The sign-in service didn’t accept this sign-in. Please try again, or contact your administrator.',
    'provider-unreachable': 'The sign-in service isn’t answering right now. Please try again in a moment.',
    'unverified-email':
      'The sign-in service hasn’t verified your email. Verify it there first, or contact your administrator.',
    'unknown-user': 'There’s no account for your email here. Ask your administrator to add you.',
    'other-account':
      'Your email belongs to a user who signs in with another account. Use that account, or contact your administrator.',
    'user-disabled': 'Your account is disabled. Please contact your administrator.',
    'company-disabled': 'This clinic’s account is disabled. Please contact support.',
    expired: 'This sign-in took too long, or was opened in another browser. Please try again.',
    'too-many': 'Too many attempts. Please wait a moment and try again.',
  } satisfies Record<ExternalFailure, string>,
} as const;
