import { type ComponentType, type ReactNode, useEffect, useState } from 'react';

/** A component whose code is loaded when it is shown first. */
type Later<Props> = ComponentType<Props> & {
  /** Begins to load the code. */
  preload(): Promise<unknown>;
};

/**
 * A component whose code is loaded when it is shown first; `fallback` is what is shown until then. As React.lazy, which shows its fallback for 300 ms at
 * least, also when the code is there sooner. A failure is thrown while rendering.
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  fallback: (props: Props) => ReactNode = () => null,
): Later<Props> {
  let loaded: ComponentType<Props> | undefined;
  const preload = async () => (loaded ??= await load());
  function Loaded(props: Props) {
    const [Part, setPart] = useState(() => loaded);
    useEffect(() => {
      if (Part) return;
      let isGone = false;
      const set = (make: () => ComponentType<Props>) => void (isGone || setPart(make));
      preload().then(
        (part) => set(() => part),
        (error: unknown) =>
          set(() => {
            throw error;
          }),
      );
      return () => {
        isGone = true;
      };
    }, [Part]);
    return Part ? <Part {...props} /> : fallback(props);
  }
  return Object.assign(Loaded, { preload });
}
