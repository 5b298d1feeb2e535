import ChevronLeftIcon from '@mui/icons-material/ChevronLeft';
import ChevronRightIcon from '@mui/icons-material/ChevronRight';
import FileDownloadOutlinedIcon from '@mui/icons-material/FileDownloadOutlined';
import RotateRightIcon from '@mui/icons-material/RotateRight';
import ZoomInIcon from '@mui/icons-material/ZoomIn';
import ZoomOutIcon from '@mui/icons-material/ZoomOut';
import { type PointerEvent, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { openQuestions } from '../../ui/confirm.ts';
import { texts as uiTexts } from '../../ui/texts.ts';
import { fitted, type PhotoView, pan, swipeOf, turn, zoomAt, zoomStep } from './photo-view.ts';
import { texts } from './texts.ts';

interface Props {
  address: string;
  label: string;
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
  /** Gets a new address. */
  onReload: () => void;
  onDownload: () => void;
}

/** One photo with its tools: zoom by buttons, wheel, keys, two fingers or a double click; rotation; download; the neighbors. */
export function PhotoStage({ address, label, onPrevious, onNext, onReload, onDownload }: Props) {
  const stage = useRef<HTMLDivElement>(null);
  const [view, setView] = useState(fitted);
  const [broken, setBroken] = useState(false);
  // A new address is no other photo: it replaces only one that could not be loaded.
  const [shown, setShown] = useState(address);
  const replaceBroken = useEffectEvent(() => {
    if (!broken) return;
    setShown(address);
    setBroken(false);
  });
  useEffect(() => replaceBroken(), [address]);
  const size = () => ({ width: stage.current?.clientWidth ?? 0, height: stage.current?.clientHeight ?? 0 });
  const zoom = (factor: number, point?: { x: number; y: number }) =>
    setView((before) => zoomAt(before, factor, size(), point));
  const gestures = useGestures({
    view,
    zoom,
    move: (by) => setView((before) => pan(before, by, size())),
    swiped: (where) => (where === 'previous' ? onPrevious : onNext)?.(),
  });

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || openQuestions.get().length > 0) return;
    if (event.key === '+' || event.key === '=') zoom(zoomStep);
    if (event.key === '-') zoom(1 / zoomStep);
    if (event.key === '0') setView(fitted);
    if (event.key === 'r') setView(turn);
  });
  const onWheel = useEffectEvent((event: WheelEvent) => {
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 300), pointIn(stage.current, event));
  });
  useEffect(() => {
    const element = stage.current;
    const keys = (event: KeyboardEvent) => onKey(event);
    const wheel = (event: WheelEvent) => onWheel(event);
    addEventListener('keydown', keys);
    // React's listener is passive and could not stop the page from scrolling.
    element?.addEventListener('wheel', wheel, { passive: false });
    return () => {
      removeEventListener('keydown', keys);
      element?.removeEventListener('wheel', wheel);
    };
  }, []);

  return (
    <div className="photo-stage rs-dark">
      <div
        ref={stage}
        className="photo-canvas"
        data-zoomed={view.scale > 1 || undefined}
        onDoubleClick={(event) => zoom(view.scale > 1 ? 0 : 2.5, pointIn(stage.current, event.nativeEvent))}
        {...gestures}
      >
        {broken ? (
          <div className="photo-broken" role="alert">
            <p>{texts.notShown}</p>
            <Button look="secondary" onClick={onReload}>
              {uiTexts.tryAgain}
            </Button>
          </div>
        ) : (
          <img
            src={shown}
            alt={label}
            draggable={false}
            data-sideways={view.turns % 2 === 1 || undefined}
            style={{ transform: transformOf(view) }}
            onError={() => setBroken(true)}
          />
        )}
      </div>
      {onPrevious && (
        <Tool className="photo-previous" label={texts.previous} onClick={onPrevious}>
          <ChevronLeftIcon />
        </Tool>
      )}
      {onNext && (
        <Tool className="photo-next" label={texts.next} onClick={onNext}>
          <ChevronRightIcon />
        </Tool>
      )}
      <div className="photo-tools" role="toolbar" aria-label={texts.tools}>
        <Tool label={texts.zoomOut} onClick={() => zoom(1 / zoomStep)} disabled={view.scale <= 1}>
          <ZoomOutIcon />
        </Tool>
        <output className="photo-zoom">{texts.zoom(Math.round(view.scale * 100))}</output>
        <Tool label={texts.zoomIn} onClick={() => zoom(zoomStep)} disabled={view.scale >= 8}>
          <ZoomInIcon />
        </Tool>
        <Tool label={texts.rotate} onClick={() => setView(turn)}>
          <RotateRightIcon />
        </Tool>
        <Tool label={texts.download} onClick={onDownload}>
          <FileDownloadOutlinedIcon />
        </Tool>
      </div>
    </div>
  );
}

interface ToolProps {
  label: string;
  className?: string;
  disabled?: boolean;
  onClick: () => void;
  children: ReactNode;
}

function Tool({ label, className = '', disabled = false, onClick, children }: ToolProps) {
  return (
    <button
      type="button"
      className={`photo-tool ${className}`.trim()}
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={onClick}
    >
      {children}
    </button>
  );
}

const transformOf = ({ scale, x, y, turns }: PhotoView) =>
  `translate(${x}px, ${y}px) rotate(${turns * 90}deg) scale(${scale})`;

/** Where an event is, relative to the middle of the stage. */
function pointIn(element: HTMLElement | null, { clientX, clientY }: { clientX: number; clientY: number }) {
  const { left = 0, top = 0, width = 0, height = 0 } = element?.getBoundingClientRect() ?? {};
  return { x: clientX - left - width / 2, y: clientY - top - height / 2 };
}

interface Gestures {
  view: PhotoView;
  zoom: (factor: number, point: { x: number; y: number }) => void;
  move: (by: { x: number; y: number }) => void;
  swiped: (where: 'previous' | 'next') => void;
}

/** One finger or the mouse moves a zoomed photo and swipes one that fits; two fingers zoom. */
function useGestures({ view, zoom, move, swiped }: Gestures) {
  const fingers = useRef(new Map<number, { x: number; y: number }>());
  const way = useRef({ x: 0, y: 0, pinched: false });

  function onPointerDown(event: PointerEvent<HTMLElement>) {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    if (fingers.current.size === 0) way.current = { x: 0, y: 0, pinched: false };
    fingers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  function onPointerMove(event: PointerEvent<HTMLElement>) {
    const before = fingers.current.get(event.pointerId);
    if (!before) return;
    const after = { x: event.clientX, y: event.clientY };
    const [other] = [...fingers.current].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
    fingers.current.set(event.pointerId, after);
    if (other) {
      way.current.pinched = true;
      const middle = { clientX: (after.x + other.x) / 2, clientY: (after.y + other.y) / 2 };
      zoom(distance(after, other) / Math.max(1, distance(before, other)), pointIn(event.currentTarget, middle));
      return;
    }
    const by = { x: after.x - before.x, y: after.y - before.y };
    way.current.x += by.x;
    way.current.y += by.y;
    if (view.scale > 1) move(by);
  }

  function onPointerEnd(event: PointerEvent<HTMLElement>) {
    if (!fingers.current.delete(event.pointerId) || fingers.current.size > 0) return;
    const where = event.type === 'pointerup' && !way.current.pinched && view.scale === 1 && swipeOf(way.current);
    if (where) swiped(where);
  }

  return { onPointerDown, onPointerMove, onPointerUp: onPointerEnd, onPointerCancel: onPointerEnd };
}

const distance = (a: { x: number; y: number }, b: { x: number; y: number }) => Math.hypot(a.x - b.x, a.y - b.y);
