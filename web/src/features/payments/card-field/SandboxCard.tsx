import { isolatedFrames } from '@roomside/contract/isolated-frames.ts';
import { useEffect, useEffectEvent, useImperativeHandle, useRef, useState } from 'react';
import type { CardResult } from '../../../frames/messages.ts';
import { Notice } from '../../../ui/light/Notice.tsx';
import type { ProcessorFieldProps } from './card-handle.ts';
import { createFrame, type IsolatedFrame } from './isolated-frame.ts';
import { texts } from './texts.ts';

/** How long the frame may take to load, and to make a token, ms. */
const frameMs = 10_000;

/** The sandbox's field: a frame that makes the token itself. */
export function SandboxCard({ busy, onSubmit, ref }: ProcessorFieldProps) {
  const place = useRef<HTMLDivElement>(null);
  const frame = useRef<IsolatedFrame>(undefined);
  const waiting = useRef(new Map<number, (result?: CardResult) => void>());
  const nextId = useRef(1);
  const ready = useRef<Promise<boolean>>(undefined);
  const submit = useEffectEvent(onSubmit);
  /** The frame shows errors of the card; this one is about the frame. */
  const [error, setError] = useState('');

  useEffect(() => {
    const answers = waiting.current;
    let setReady: (isReady: boolean) => void = () => undefined;
    ready.current = new Promise((resolve) => {
      setReady = resolve;
    });
    const timer = setTimeout(() => setReady(false), frameMs);
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
      for (const answer of answers.values()) answer();
      answers.clear();
    };
  }, []);
  useEffect(() => frame.current?.send({ type: 'busy', busy }), [busy]);
  /** Asks the frame for a token. Returns undefined when it does not answer. */
  const ask = async ({ send }: IsolatedFrame): Promise<CardResult | undefined> => {
    const id = nextId.current++;
    const { promise, resolve } = Promise.withResolvers<CardResult | undefined>();
    waiting.current.set(id, resolve);
    const timer = setTimeout(resolve, frameMs);
    send({ type: 'tokenize', id });
    return promise.finally(() => clearTimeout(timer));
  };
  useImperativeHandle(ref, () => ({
    async tokenize() {
      // Pressed before its code was loaded.
      const opened = (await ready.current) ? frame.current : undefined;
      const result = opened && (await ask(opened));
      setError(result ? '' : texts.notLoaded);
      if (!result) return { error: texts.notLoaded };
      if ('error' in result) {
        // A field of a frame without the focus could not take it.
        opened.element.focus();
        opened.send({ type: 'focus' });
      }
      return result;
    },
  }));
  return (
    <>
      <div ref={place} className="card-frame" />
      {error && <Notice kind="error">{error}</Notice>}
    </>
  );
}
