/** CONST-5: number of columns; up to 3 peers side by side, 4 in two, more in three. */
export function gridColumns(peers: number): number {
  if (peers <= 3) return Math.max(1, peers);
  return peers === 4 ? 2 : 3;
}

/** STATE-21: whether the chat closes in favor of the videos. */
export function chatGivesWay(now: { smallScreen: boolean; peers: number; hasFeed: boolean }): boolean {
  return now.hasFeed && (now.smallScreen || now.peers > 2);
}

/** 'Olivia O'Brien' becomes 'OO'; what a guest is does not count. */
export function initialsOf(name: string): string {
  const words = name
    .replace(/ \(.*\)$/, '')
    .split(/\s+/)
    .filter(Boolean);
  const letters = words.length > 1 ? [words[0], words.at(-1)] : words;
  return letters
    .map((word) => String.fromCodePoint(word?.codePointAt(0) ?? 0x20))
    .join('')
    .toUpperCase();
}
