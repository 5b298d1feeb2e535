/**
 * Refusals whose words a page also shows without a response of the API: those of the hub, and failures on the way. They are loaded with
 * every page; all others arrive with the response.
 */
export const pageRefusals = {
  malformed: { status: 400, text: 'This request could not be read. Please reload the page and try again.' },
  'not-signed-in': { status: 401, text: 'Please sign in.' },
  'sign-in-ended': { status: 401, text: 'You’ve been signed out. Please sign in again.' },
  'clinic-closed': { status: 403, text: 'This clinic can’t take visits at the moment. Please call the clinic.' },
  'not-found': { status: 404, text: 'We couldn’t find this. It may have been deleted.' },
  'card-number': { status: 422, text: 'Please don’t enter card numbers here.' },
  'too-many': { status: 429, text: 'Too many attempts. Please wait a moment and try again.' },
  'server-error': { status: 500, text: 'Something went wrong on our side. Please try again.' },
  unavailable: { status: 503, text: 'The service isn’t available right now. Please try again in a moment.' },
} as const satisfies Record<string, { status: number; text: string }>;
