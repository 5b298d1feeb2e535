import { isolatedFrames } from '@roomside/contract/isolated-frames.ts';
import { useEffect, useEffectEvent, useImperativeHandle, useRef } from 'react';
import type { CardResult } from '../../../frames/messages.ts';
import type { ProcessorFieldProps } from './card-handle.ts';
import { createFrame, type IsolatedFrame } from './isolated-frame.ts';
import { texts } from './texts.ts';

/** How long the field may take to load, ms. */
const loadMs = 10_000;

/** The sandbox's field: a frame that makes the token itself. */
export function SandboxCard({ busy, onSubmit, ref }: ProcessorFieldProps) {
  const place = useRef<HTMLDivElement>(null);
  const frame = useRef<IsolatedFrame>(undefined);
  const waiting = useRef(new Map<number, (result: CardResult) => void>());
  const nextId = useRef(1);
  const ready = useRef<Promise<boolean>>(undefined);
  const submit = useEffectEvent(onSubmit);

  useEffect(() => {
    const answers = waiting.current;
    let setReady: (isReady: boolean) => void = () => undefined;
    ready.current = new Promise((resolve) => {
      setReady = resolve;
    });
    const timer = setTimeout(() => setReady(false), loadMs);
    const opened = createFrame(isolatedFrames.cardField.path, texts.frame, (message) => {
      if (message.type === 'ready') setReady(true);
      if (message.type === 'submit') submit();
      if (message.type !== 'card') return;
      answers.get(message.id)?.(message.result);
      answers.delete(message.id);
    });
    place.current?.append(opened.element);
    frame.current = opened;
    return () => {
      clearTimeout(timer);
      setReady(false);
      opened.close();
      for (const answer of answers.values()) answer({ error: texts.notLoaded });
      answers.clear();
    };
  }, []);
  useEffect(() => frame.current?.send({ type: 'busy', busy }), [busy]);
  useImperativeHandle(ref, () => ({
    async tokenize() {
      // Pressed before its code was loaded.
      if (!(await ready.current) || !frame.current) return { error: texts.notLoaded };
      const { element, send } = frame.current;
      const id = nextId.current++;
      const result = await new Promise<CardResult>((resolve) => {
        waiting.current.set(id, resolve);
        send({ type: 'tokenize', id });
      });
      if ('error' in result) {
        // A field of a frame without the focus could not take it.
        element.focus();
        send({ type: 'focus' });
      }
      return result;
    },
  }));
  return <div ref={place} className="card-frame" />;
}
