export interface TimerView {
  /** 'm:ss' or 'h:mm:ss'. */
  text: string;
  /** plain: time so far; left: time that is left; last: the last 60 s; over: how long the limit has been passed. */
  state: 'plain' | 'left' | 'last' | 'over';
}

interface TimerInput {
  /** When the visit was to start, ms. */
  startsAt: number;
  /** When the provider came, ms. */
  joinedAt: number;
  /** Minutes; 0 = none, the time so far is shown. */
  limit: number;
  now: number;
}

/** CONST-7: counts from the later of the start and the provider's own join; nobody is cut off (decisions, 6). */
export function timerView({ startsAt, joinedAt, limit, now }: TimerInput): TimerView {
  const elapsed = Math.max(0, Math.floor((now - Math.max(startsAt, joinedAt)) / 1000));
  if (limit <= 0) return { text: clockText(elapsed), state: 'plain' };
  const left = limit * 60 - elapsed;
  if (left < 0) return { text: clockText(-left), state: 'over' };
  return { text: clockText(left), state: left <= 60 ? 'last' : 'left' };
}

function clockText(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${two(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}
