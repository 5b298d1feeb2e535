import { useEffect } from 'react';
import { setTabKind } from '../../api/sign-in.ts';
import { endSignIn } from '../../api/sign-out.ts';
import { Page } from '../../ui/light/Page.tsx';
import { texts } from './texts.ts';

/** THANKS-1: after the visit; ends the patient's sign-in. */
export function ThankYouPage() {
  useEffect(() => {
    setTabKind('patient');
    void endSignIn();
  }, []);
  return (
    <Page title={texts.thanks.title}>
      <p className="rs-text">{texts.thanks.over}</p>
      <p className="rs-text">{texts.thanks.close}</p>
    </Page>
  );
}
