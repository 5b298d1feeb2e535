import { later } from '../../ui/later.tsx';
import { Spinner } from '../../ui/light/Spinner.tsx';
import { texts } from './texts.ts';

/** The second step of a sign-in, loaded when it is needed: most sign-ins have only one. */
export const LazySecondStep = later(
  async () => (await import('./SecondStep.tsx')).SecondStep,
  () => <Spinner label={texts.login.signingIn} />,
);
