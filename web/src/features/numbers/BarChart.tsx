import './numbers.css';

export interface Bar {
  readonly label: string;
  /** What the bar stands for, in words: the chart needs no colors to be read. */
  readonly text: string;
  readonly value: number;
  /** Stands above the value, hatched; 0 without. */
  readonly more: number;
}

/** Bars side by side with their values as text. The table beside it has the same figures, so it is hidden from screen readers. */
export function BarChart({ bars }: { bars: readonly Bar[] }) {
  const max = Math.max(1, ...bars.map(({ value, more }) => value + more));
  const heightOf = (value: number) => `${(value / max) * 100}%`;
  return (
    <div className="numbers-bars" aria-hidden="true">
      {bars.map(({ label, text, value, more }) => (
        <div key={label} className="numbers-bar">
          <span className="numbers-bar-text">{text}</span>
          <div className="numbers-bar-space">
            {more > 0 && <div className="numbers-bar-more" style={{ height: heightOf(more) }} />}
            <div className="numbers-bar-value" style={{ height: heightOf(value) }} />
          </div>
          <span className="numbers-bar-label">{label}</span>
        </div>
      ))}
    </div>
  );
}

/** One part of a whole as a lying bar. */
export function PartBar({ part, of }: { part: number; of: number }) {
  const width = of === 0 ? 0 : Math.min(1, part / of) * 100;
  return (
    <div className="numbers-part" aria-hidden="true">
      <div style={{ width: `${width}%` }} />
    </div>
  );
}
