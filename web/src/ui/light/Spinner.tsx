/** A spinner; screen readers read its `label`. */
export function Spinner({ label }: { label?: string }) {
  if (!label) return <span className="rs-spinner" aria-hidden="true" />;
  return (
    <div className="rs-wait" role="status">
      <span className="rs-spinner" aria-hidden="true" />
      {label}
    </div>
  );
}
