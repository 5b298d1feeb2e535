import { Button } from '../ui/light/Button.tsx';
import { Page } from '../ui/light/Page.tsx';
import { texts } from '../ui/texts.ts';

/** Shown for a page that crashed or whose code could not be loaded (new version, no connection): offers a reload. */
export function RouteError() {
  return (
    <Page title={texts.fallback.title}>
      <p className="rs-text">{texts.fallback.text}</p>
      <Button onClick={() => location.reload()}>{texts.fallback.reload}</Button>
    </Page>
  );
}
