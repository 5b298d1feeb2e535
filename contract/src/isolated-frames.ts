/**
 * Documents of our own that are shown in a frame and isolated from our pages: their policy takes their origin from them, so that they reach
 * neither cookies nor storage nor the page, and the page does not reach them. Only one with `connect` may send requests, to our server.
 */
export const isolatedFrames = {
  cardField: { path: '/card-field.html', connect: false },
  bankChallenge: { path: '/bank-challenge.html', connect: true },
} as const;
