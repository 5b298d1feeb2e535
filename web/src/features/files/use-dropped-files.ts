import { useEffect, useEffectEvent, useState } from 'react';
import { texts } from './texts.ts';

/** Files that are dragged into the page, or pasted. Returns whether files are over the page. */
export function useDroppedFiles(onFiles: (files: File[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  const take = useEffectEvent(onFiles);
  useEffect(() => {
    let depth = 0;
    const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
    const enter = (event: DragEvent) => {
      if (!holdsFiles(event)) return;
      depth += 1;
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (!holdsFiles(event)) return;
      depth -= 1;
      if (depth <= 0) setOver(false);
    };
    // Without it the browser would open the file instead of this page.
    const over = (event: DragEvent) => {
      if (holdsFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      depth = 0;
      setOver(false);
      if (!holdsFiles(event)) return;
      event.preventDefault();
      take([...(event.dataTransfer?.files ?? [])]);
    };
    const paste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length === 0) return;
      // Office programs add a picture of what was copied: a field takes the text.
      if (isField(event.target) && event.clipboardData?.types.includes('text/plain')) return;
      event.preventDefault();
      take(files.map(named));
    };
    const listeners = { dragenter: enter, dragleave: leave, dragover: over, drop, paste };
    for (const [name, listener] of Object.entries(listeners)) addEventListener(name, listener as EventListener);
    return () => {
      for (const [name, listener] of Object.entries(listeners)) removeEventListener(name, listener as EventListener);
    };
  }, []);
  return isOver;
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, textarea, [contenteditable]') !== null;

/** Browsers call every pasted picture image.png. */
function named(file: File): File {
  if (file.name !== 'image.png') return file;
  const time = new Date().toLocaleString('sv-SE').replaceAll(':', '.');
  return new File([file], texts.pasted(time, 'png'), { type: file.type });
}
