import { hasBegun } from '@roomside/contract/appointments/over.ts';
import { refusals } from '@roomside/contract/refusals.ts';
import type { RefObject } from 'react';
import { formatMinute } from '../../time/time.ts';
import { toast } from '../../ui/toast.ts';
import type { ColumnModel } from './DayColumn.tsx';
import { type DayScale, landing, type Placed } from './day-layout.ts';
import { PointerDrag } from './pointer-drag.ts';
import { texts } from './texts.ts';

/** An appointment that is being moved, and its target. */
export interface Preview {
  box: Placed;
  /** The original column. */
  home: number;
  column: number;
  minute: number;
}

export interface DragOptions {
  scale: DayScale;
  columns: readonly ColumnModel[];
  body: RefObject<HTMLElement | null>;
  /** The scrolling element; undefined = the window. */
  scroller: RefObject<HTMLElement | null> | undefined;
  say: (words: string) => void;
  onDrop: (box: Placed, column: number, minute: number) => void;
}

const arrows: Record<string, readonly [columns: number, rows: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Why an appointment cannot be picked up here; undefined when it can. */
const whyFixed = ({ entry: { status }, isContinued }: Placed) =>
  hasBegun(status) ? refusals['has-started'].text : isContinued ? texts.beganBefore : undefined;

const lengthOf = ({ start, end }: Placed) => end - start;

/** SCHED-3: pick up, move and drop an appointment, by mouse, touch and keyboard. Its handlers are stable, so columns do not render for them. */
export class AppointmentDrag {
  #options: DragOptions;
  readonly #onPreview: (preview: Preview | undefined) => void;
  /** What is being moved. */
  #preview: Preview | undefined;
  /** A pressed pointer, from the press to the release. */
  #pointer: PointerDrag | undefined;

  constructor(options: DragOptions, onPreview: (preview: Preview | undefined) => void) {
    this.#options = options;
    this.#onPreview = onPreview;
  }

  /** Sets the options of the last render. */
  update(options: DragOptions): void {
    this.#options = options;
  }

  /** True while an appointment is moved by pointer. */
  readonly isDragging = (): boolean => this.#pointer !== undefined && this.#preview !== undefined;

  readonly onPointerDown = (event: React.PointerEvent<HTMLElement>, box: Placed, home: number): void => {
    if (event.button !== 0 || !event.isPrimary || this.#pointer) return;
    const { body, scroller } = this.#options;
    const startTop = body.current?.getBoundingClientRect().top ?? 0;
    const startY = event.clientY;
    this.#pointer = new PointerDrag(event, scroller?.current ?? undefined, {
      onPickUp: () => {
        const why = whyFixed(box);
        if (why) toast.info(why);
        return why === undefined;
      },
      onMove: ({ x, y }) => this.#follow(box, home, x, y - startY + startTop),
      onDrop: () => this.#drop(),
      onCancel: () => this.#cancel(),
      onStop: () => {
        this.#pointer = undefined;
      },
    });
  };

  readonly onKeyDown = (event: React.KeyboardEvent<HTMLElement>, box: Placed, home: number): void => {
    if (this.#preview?.box.entry.appointmentId === box.entry.appointmentId) this.#moveByKey(event, this.#preview);
    else if (event.key === ' ') this.#pickUpByKey(event, box, home);
  };

  /** Losing the focus cancels a move by keyboard, not one by pointer. */
  readonly onBlur = (): void => {
    if (!this.#pointer) this.#cancel();
  };

  /** Ends a move by pointer, when the calendar is closed. */
  stop(): void {
    this.#pointer?.stop();
  }

  #pickUpByKey(event: React.KeyboardEvent, box: Placed, home: number): void {
    event.preventDefault();
    const why = whyFixed(box);
    if (why) return void toast.info(why);
    this.#show({ box, home, column: home, minute: box.start });
    this.#options.say(texts.held(box.entry.patient));
  }

  #moveByKey(event: React.KeyboardEvent, picked: Preview): void {
    const arrow = arrows[event.key];
    const isDrop = event.key === ' ' || event.key === 'Enter';
    if (!arrow && !isDrop && event.key !== 'Escape') return;
    event.preventDefault();
    if (isDrop) return this.#drop();
    if (!arrow) return this.#cancel();
    const { scale, say } = this.#options;
    const column = this.#accepting(picked.column + arrow[0], picked.column);
    const minute = landing(scale, picked.minute, lengthOf(picked.box), arrow[1]);
    this.#show({ ...picked, column, minute });
    say(texts.place(formatMinute(minute), this.#nameOf(column)));
  }

  /** Moves to the place of the pointer. `top`: where the grid's top would be if the pointer had not moved, px. */
  #follow(box: Placed, home: number, x: number, top: number): void {
    const { body, scale } = this.#options;
    const rect = body.current?.getBoundingClientRect();
    if (!rect) return;
    const column = this.#accepting(Math.floor(((x - rect.left) / rect.width) * scale.columns), home);
    const minute = landing(scale, box.start, lengthOf(box), Math.round((top - rect.top) / scale.row));
    if (this.#preview?.column !== column || this.#preview.minute !== minute) this.#show({ box, home, column, minute });
  }

  #drop(): void {
    if (!this.#preview) return;
    const { box, home, column, minute } = this.#preview;
    const { say, onDrop } = this.#options;
    this.#show(undefined);
    if (column === home && minute === box.start) return say(texts.cancelledMove(box.entry.patient));
    say(texts.dropped(box.entry.patient, formatMinute(minute), this.#nameOf(column)));
    onDrop(box, column, minute);
  }

  #cancel(): void {
    if (!this.#preview) return;
    const { patient } = this.#preview.box.entry;
    this.#show(undefined);
    this.#options.say(texts.cancelledMove(patient));
  }

  #show(preview: Preview | undefined): void {
    this.#preview = preview;
    this.#onPreview(preview);
  }

  #nameOf(column: number): string {
    return this.#options.columns[column]?.provider.name ?? '';
  }

  /** The nearest column, if its provider accepts appointments, else `fallback`. */
  #accepting(column: number, fallback: number): number {
    const { columns } = this.#options;
    const within = Math.max(0, Math.min(column, columns.length - 1));
    return columns[within]?.provider.isFormer ? fallback : within;
  }
}
