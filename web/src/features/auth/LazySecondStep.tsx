import { type ComponentProps, lazy, Suspense } from 'react';
import { Spinner } from '../../ui/light/Spinner.tsx';
import type { SecondStep } from './SecondStep.tsx';
import { texts } from './texts.ts';

const Loaded = lazy(async () => ({ default: (await import('./SecondStep.tsx')).SecondStep }));

/** The second step of a sign-in, loaded when it is needed: most sign-ins have only one. */
export function LazySecondStep(props: ComponentProps<typeof SecondStep>) {
  return (
    <Suspense fallback={<Spinner label={texts.login.signingIn} />}>
      <Loaded {...props} />
    </Suspense>
  );
}
