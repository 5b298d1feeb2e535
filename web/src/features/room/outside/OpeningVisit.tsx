import { Mark } from '../../../ui/light/Page.tsx';
import { Spinner } from '../../../ui/light/Spinner.tsx';
import { Splash } from '../../../ui/light/Splash.tsx';
import { texts } from '../../auth/link-texts.ts';

/**
 * Shown while a visit loads. A patient sees the same as during the sign-in by code (LinkPage and index.html), so that the
 * page does not change until the visit is loaded. Title and focus stay.
 */
export function OpeningVisit({ isPatient }: { isPatient: boolean }) {
  if (!isPatient) return <Splash />;
  return (
    <div className="rs-page">
      <header className="rs-page-head">
        <Mark />
      </header>
      <main className="rs-page-main">
        <p className="rs-eyebrow">{texts.title}</p>
        <h1 className="rs-title">{texts.heading}</h1>
        <Spinner label={texts.signingIn} />
      </main>
    </div>
  );
}
