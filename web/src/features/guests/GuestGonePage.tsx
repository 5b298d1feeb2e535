import { useLocation } from 'react-router';
import { to } from '../../paths.ts';
import { ButtonLink } from '../../ui/light/Button.tsx';
import { Page } from '../../ui/light/Page.tsx';
import { texts } from './texts.ts';

/** /guest/left after leaving, with a way back; /guest/over when the invitation is no longer valid, `?ended` when the visit has ended. */
export function GuestGonePage() {
  const { pathname, search } = useLocation();
  if (pathname === to.guestLeft()) {
    return (
      <Page eyebrow={texts.eyebrow} title={texts.left}>
        <p className="rs-text">{texts.leftNote}</p>
        <ButtonLink look="primary" href={`#${to.guest()}`}>
          {texts.joinAgain}
        </ButtonLink>
      </Page>
    );
  }
  const hasEnded = search === '?ended';
  return (
    <Page eyebrow={texts.eyebrow} title={hasEnded ? texts.ended : texts.over}>
      <p className="rs-text">{hasEnded ? texts.endedNote : texts.overNote}</p>
    </Page>
  );
}
