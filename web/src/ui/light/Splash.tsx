/** The mark alone while a page loads; the same as in index.html. */
export function Splash() {
  return (
    <div className="rs-splash" role="status" aria-label="Loading">
      <img src="/icon.svg" alt="" width="56" height="56" />
    </div>
  );
}
