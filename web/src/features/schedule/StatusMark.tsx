import type { Status } from '@roomside/contract/appointments/status.ts';

/** A separate shape for each status except scheduled; small, since hundreds are drawn. */
const shapes: Partial<Record<Status, string>> = {
  completed: 'M2 6.5 5 9.5 10.5 3',
  inProgress: 'M2 3.5h5.5v5H2zM7.5 6 10.5 4v4z',
  waiting: 'M3 1.5h6L3 10.5h6z',
  missed: 'M3 3l6 6M9 3l-6 6',
};

/** Decorative: the link's accessible name has the status. */
export function StatusMark({ status }: { status: Status }) {
  const path = shapes[status];
  if (!path) return null;
  return (
    <svg viewBox="0 0 12 12" className="sch-status" aria-hidden>
      <path d={path} />
    </svg>
  );
}
