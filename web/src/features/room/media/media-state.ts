import * as z from 'zod/mini';

/**
 * Whether a peer sends sound and video. `screen`: the video is a shared screen, which must not be cropped. `hidden`: its page is not shown,
 * and a phone may stop its camera. `wantsPicture`: false when it saves data and asks for no video.
 */
export const mediaState = z.object({
  sound: z.boolean(),
  picture: z.boolean(),
  screen: z.optional(z.boolean()),
  hidden: z.optional(z.boolean()),
  wantsPicture: z.optional(z.boolean()),
});
export type MediaState = z.infer<typeof mediaState>;

/** Type 5: the size that staff request from a camera. */
export const videoWish = z.object({ width: z.object({ ideal: z.int() }), height: z.object({ ideal: z.int() }) });
export type VideoWish = z.infer<typeof videoWish>;
