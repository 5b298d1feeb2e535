/** The mark alone, while a page is on its way; the same as index.html shows before any script has run. */
export function Splash() {
  return (
    <div className="rs-splash" role="status" aria-label="Loading">
      <img src="/icon.svg" alt="" width="56" height="56" />
    </div>
  );
}
