import { useEffect, useLayoutEffect, useMemo, useState } from 'react';
import { AppointmentDrag, type DragOptions, type Preview } from './appointment-drag.ts';

/** SCHED-3: moving an appointment of a day by mouse, touch and keyboard. */
export function useDragAppointment(options: DragOptions) {
  const { body } = options;
  const [preview, setPreview] = useState<Preview>();
  const [drag] = useState(() => new AppointmentDrag(options, setPreview));
  useLayoutEffect(() => drag.update(options));
  useEffect(() => () => drag.stop(), [drag]);
  useEffect(() => {
    const element = body.current;
    if (!element) return;
    // A drag by touch must not scroll; React's listeners are passive and cannot prevent it.
    const still = (event: TouchEvent) => drag.isDragging() && event.preventDefault();
    element.addEventListener('touchmove', still, { passive: false });
    return () => element.removeEventListener('touchmove', still);
  }, [drag, body]);
  return useMemo(() => {
    const { onPointerDown, onKeyDown, onBlur } = drag;
    return { onPointerDown, onKeyDown, onBlur, preview };
  }, [drag, preview]);
}
