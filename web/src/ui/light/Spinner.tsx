/** A turning ring. With `label` it is also read out. */
export function Spinner({ label }: { label?: string }) {
  if (!label) return <span className="rs-spinner" aria-hidden="true" />;
  return (
    <div className="rs-wait" role="status">
      <span className="rs-spinner" aria-hidden="true" />
      {label}
    </div>
  );
}
