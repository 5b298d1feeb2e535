import { useEffect, useLayoutEffect, useMemo, useState } from 'react';
import { AppointmentDrag, type DragOptions, type Preview } from './appointment-drag.ts';

/** SCHED-3: moving an appointment of a day by mouse, touch and keyboard. */
export function useDragAppointment(options: DragOptions) {
  const [preview, setPreview] = useState<Preview>();
  const [drag] = useState(() => new AppointmentDrag(options, setPreview));
  useLayoutEffect(() => drag.update(options));
  useEffect(() => () => drag.stop(), [drag]);
  return useMemo(() => {
    const { onPointerDown, onKeyDown, onBlur, isDragging } = drag;
    return { onPointerDown, onKeyDown, onBlur, isDragging, preview };
  }, [drag, preview]);
}
