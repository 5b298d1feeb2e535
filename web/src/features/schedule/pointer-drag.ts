/** A shorter movement is a click, px. */
const threshold = 5;
/** A touch that rests this long picks up; one that moves earlier scrolls, ms. */
const longPressMs = 400;
/** Distance from an edge at which the grid scrolls, px. */
const edge = 48;
/** The height of the title bar, which covers the window's top, px. */
const barHeight = 56;
/** Scrolled per frame, px. */
const scrollStep = 8;

interface Callbacks {
  /** Returns false when this cannot be picked up. */
  onPickUp: () => boolean;
  /** The place of the pointer in the window, px; also while the grid scrolls under it. */
  onMove: (at: { x: number; y: number }) => void;
  onDrop: () => void;
  onCancel: () => void;
  /** The last call. */
  onStop: () => void;
}

/** One press of a pointer, from down to up: a click, a scroll by touch, or a drag. */
export class PointerDrag {
  readonly #element: HTMLElement;
  readonly #id: number;
  readonly #isTouch: boolean;
  readonly #from: { readonly x: number; readonly y: number };
  readonly #scroller: HTMLElement | undefined;
  readonly #callbacks: Callbacks;
  readonly #listening = new AbortController();
  readonly #longPress: ReturnType<typeof setTimeout> | undefined;
  #at: { x: number; y: number };
  #isDragging = false;
  #frame = 0;

  /** `scroller`: the scrolling element; undefined = the window. */
  constructor(down: React.PointerEvent<HTMLElement>, scroller: HTMLElement | undefined, callbacks: Callbacks) {
    this.#element = down.currentTarget;
    this.#id = down.pointerId;
    this.#isTouch = down.pointerType === 'touch';
    this.#from = { x: down.clientX, y: down.clientY };
    this.#at = this.#from;
    this.#scroller = scroller;
    this.#callbacks = callbacks;
    if (this.#isTouch) this.#longPress = setTimeout(() => this.#pickUp(), longPressMs);
    const { signal } = this.#listening;
    window.addEventListener('pointermove', (event) => this.#moved(event), { signal });
    window.addEventListener('pointerup', (event) => this.#released(event), { signal });
    window.addEventListener('pointercancel', () => this.#cancel(), { signal });
    window.addEventListener('keydown', (event) => this.#pressed(event), { signal });
    // A long press would open the browser's context menu of a link.
    window.addEventListener('contextmenu', (event) => this.#isTouch && event.preventDefault(), { signal });
  }

  stop(): void {
    clearTimeout(this.#longPress);
    cancelAnimationFrame(this.#frame);
    this.#listening.abort();
    this.#callbacks.onStop();
  }

  #pickUp(): void {
    if (!this.#callbacks.onPickUp()) return this.stop();
    this.#isDragging = true;
    this.#element.setPointerCapture(this.#id);
    this.#callbacks.onMove(this.#at);
    this.#frame = requestAnimationFrame(() => this.#scroll());
  }

  #moved(event: PointerEvent): void {
    if (event.pointerId !== this.#id) return;
    this.#at = { x: event.clientX, y: event.clientY };
    if (this.#isDragging) return this.#callbacks.onMove(this.#at);
    if (Math.hypot(this.#at.x - this.#from.x, this.#at.y - this.#from.y) < threshold) return;
    if (this.#isTouch) this.stop();
    else this.#pickUp();
  }

  #released(event: PointerEvent): void {
    if (event.pointerId !== this.#id) return;
    const isDrop = this.#isDragging;
    this.stop();
    if (!isDrop) return;
    swallowClick(this.#element);
    this.#callbacks.onDrop();
  }

  #cancel(): void {
    this.stop();
    this.#callbacks.onCancel();
  }

  #pressed(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || !this.#isDragging) return;
    this.#cancel();
    window.addEventListener('pointerup', () => swallowClick(this.#element), { once: true });
  }

  /** Scrolls while the pointer is near an edge. */
  #scroll(): void {
    const view = this.#scroller?.getBoundingClientRect() ?? { top: barHeight, bottom: window.innerHeight };
    const by = this.#at.y < view.top + edge ? -scrollStep : this.#at.y > view.bottom - edge ? scrollStep : 0;
    if (by !== 0) {
      (this.#scroller ?? window).scrollBy(0, by);
      this.#callbacks.onMove(this.#at);
    }
    this.#frame = requestAnimationFrame(() => this.#scroll());
  }
}

/** The click event at the end of a drag is suppressed. */
function swallowClick(element: HTMLElement): void {
  const swallow = (event: Event) => {
    event.preventDefault();
    event.stopPropagation();
  };
  element.addEventListener('click', swallow, { capture: true });
  setTimeout(() => element.removeEventListener('click', swallow, { capture: true }));
}
