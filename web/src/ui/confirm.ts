/** Questions to the user. ConfirmDialog.tsx shows them one after another. */
import type { ButtonLook } from './Button.tsx';
export interface Choice<V> {
  value: V;
  label: string;
  /** `secondary`: one of several alternatives, listed below the question. */
  look?: Exclude<ButtonLook, 'urgent' | 'danger'>;
}

export interface Question {
  key: number;
  /** Without it, the question is the title. */
  title: string | undefined;
  text: string;
  /** Lines below the question: who, when, and the consequences. */
  details: readonly string[];
  choices: readonly Choice<unknown>[];
  /** The question is not about the page, and stays when another one opens. */
  across: boolean;
  /** The result of Escape. */
  dismissed: unknown;
  answer: (value: unknown) => void;
}

let questions: readonly Question[] = [];
let nextKey = 1;
const listeners = new Set<() => void>();

function set(next: readonly Question[]): void {
  questions = next;
  for (const listener of [...listeners]) listener();
}

/** Asks with custom buttons; resolves with the value of the pressed one, or null when dismissed. */
export function choose<V>(question: {
  title?: string;
  text: string;
  details?: readonly string[];
  across?: boolean;
  choices: readonly Choice<V>[];
}): Promise<V | null> {
  const { promise, resolve } = deferred<V | null>();
  const key = nextKey++;
  const answer = (value: unknown) => {
    set(questions.filter((other) => other.key !== key));
    resolve(value as V | null);
  };
  set([...questions, { key, details: [], title: undefined, across: false, ...question, dismissed: null, answer }]);
  return promise;
}

interface YesNo {
  title?: string;
  text: string;
  details?: readonly string[];
  across?: boolean;
  /** Names the action, such as “Send invitation”. */
  yes: string;
  no: string;
  /** The yes button is red: it deletes, cancels, ends, replaces or discards something, or double-books. */
  danger?: boolean;
}

/** Asks yes or no; dismissing means no. */
export async function confirm({
  title,
  text,
  details = [],
  across = false,
  yes,
  no,
  danger = false,
}: YesNo): Promise<boolean> {
  const choices: Choice<boolean>[] = [
    { value: false, label: no, look: 'quiet' },
    { value: true, label: yes, look: danger ? 'danger-primary' : 'primary' },
  ];
  return (await choose({ ...(title ? { title } : {}), text, details, across, choices })) === true;
}

/** Another page has opened: dismisses questions about the previous one. */
export function dismissPageQuestions(): void {
  for (const { across, answer, dismissed } of questions) if (!across) answer(dismissed);
}

/** The open questions, the shown one first; for useSyncExternalStore. */
export const openQuestions = {
  get: () => questions,
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
