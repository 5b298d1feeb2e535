export interface TimerView {
  /** 'm:ss' or 'h:mm:ss'. */
  text: string;
  /** plain: elapsed time; left: remaining time; last: the last 60 s; over: time beyond the limit. */
  state: 'plain' | 'left' | 'last' | 'over';
}

interface TimerInput {
  /** Scheduled start, ms. */
  startsAt: number;
  /** When the provider joined, ms. */
  joinedAt: number;
  /** Minutes; 0 = no limit, the elapsed time is shown. */
  limit: number;
  now: number;
}

/** CONST-7: counts from the later of the start and the provider's own join. The visit continues past the limit. */
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
