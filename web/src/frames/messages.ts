/** What an isolated frame and its page say to each other by postMessage. No message contains a card's number. */

/** A card as a token of the processor, or why there is none. `expiry` is 'MM/YYYY'. */
export type CardResult = { token: string; brand: string; last4: string; expiry: string } | { error: string };

export type ToFrame =
  /** The color of the host's brand ('' = none), and the font's file, which a frame cannot load. */
  | { type: 'look'; color: string; font: ArrayBuffer | null }
  /** Asks for a token; `id` is returned with the result. */
  | { type: 'tokenize'; id: number }
  /** The page has given the focus to the frame: the first wrong field takes it. */
  | { type: 'focus' }
  /** While the page pays, the fields cannot be changed. */
  | { type: 'busy'; busy: boolean };

export type FromFrame =
  | { type: 'ready' }
  /** The height of the content, CSS px. */
  | { type: 'height'; height: number }
  | { type: 'card'; id: number; result: CardResult }
  /** Enter was pressed in a field. */
  | { type: 'submit' }
  /** Escape was pressed in the bank's question, which the page closes. */
  | { type: 'escape' }
  /** The bank's question was answered. */
  | { type: 'challenged'; passed: boolean };
