/** How a photo is shown: `scale` 1 fits it into the stage; `x` and `y` move it, px; `turns` are quarters clockwise. */
export interface PhotoView {
  scale: number;
  x: number;
  y: number;
  turns: number;
}

interface Point {
  x: number;
  y: number;
}

/** The stage, px. */
interface Size {
  width: number;
  height: number;
}

export const fitted: PhotoView = { scale: 1, x: 0, y: 0, turns: 0 };
/** The largest scale. */
const maxScale = 8;
/** The factor of a button or key. */
export const zoomStep = 1.5;

/** Scales by a factor; the point, relative to the middle of the stage, stays where it is. */
export function zoomAt(view: PhotoView, factor: number, stage: Size, point: Point = { x: 0, y: 0 }): PhotoView {
  const scale = Math.min(maxScale, Math.max(1, view.scale * factor));
  const grown = scale / view.scale;
  return within(
    { ...view, scale, x: point.x - (point.x - view.x) * grown, y: point.y - (point.y - view.y) * grown },
    stage,
  );
}

/** Moves the photo. It stays in the middle while it fits. */
export function pan(view: PhotoView, { x, y }: Point, stage: Size): PhotoView {
  return within({ ...view, x: view.x + x, y: view.y + y }, stage);
}

/** Turns by a quarter and fits the photo again. Turns are counted up, so that the movement is the short way. */
export function turn({ turns }: PhotoView): PhotoView {
  return { ...fitted, turns: turns + 1 };
}

/** At most so far that the stage stays filled. */
function within(view: PhotoView, { width, height }: Size): PhotoView {
  const bound = (value: number, size: number) => {
    const most = ((view.scale - 1) * size) / 2;
    return Math.min(most, Math.max(-most, value)) || 0;
  };
  return { ...view, x: bound(view.x, width), y: bound(view.y, height) };
}

/** The direction of a swipe over a photo that fits; undefined when it was none. */
export function swipeOf({ x, y }: Point): 'previous' | 'next' | undefined {
  if (Math.abs(x) < 60 || Math.abs(x) < 2 * Math.abs(y)) return undefined;
  return x > 0 ? 'previous' : 'next';
}
