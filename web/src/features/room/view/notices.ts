import { wordsForCode } from '../../../api/errors.ts';
import type { Notice } from '../call/room-view.ts';
import { texts } from '../texts.ts';

interface Words {
  kind: 'info' | 'warning';
  text: string;
  /** For screen readers only: it is visible anyway. */
  ear?: true;
}

/** The text of a notice. */
export function wordsForNotice(notice: Notice): Words {
  const words = texts.notices;
  switch (notice.type) {
    case 'joined':
      return { kind: 'info', text: words.joined(notice.name), ear: true };
    case 'left':
      return { kind: 'info', text: words.left(notice.name) };
    case 'lost':
      return { kind: 'warning', text: words.lost };
    case 'frozen':
      return { kind: 'warning', text: words.frozen };
    case 'poor':
      return { kind: 'info', text: words.poor(notice.name), ear: true };
    case 'better':
      return { kind: 'info', text: words.better(notice.name), ear: true };
    case 'unverified':
      return { kind: 'warning', text: words.unverified(notice.name) };
    case 'not-sent':
      return { kind: 'warning', text: words.notSent(wordsForCode(notice.code)) };
    case 'muted-by':
      return { kind: 'info', text: words.mutedBy(notice.name) };
    case 'unmute-asked':
      return { kind: 'info', text: words.unmuteAsked(notice.name) };
    case 'ended-by':
      return { kind: 'info', text: words.endedBy(notice.name) };
    case 'cancelled-by':
      return { kind: 'warning', text: words.cancelledBy(notice.name) };
  }
}
