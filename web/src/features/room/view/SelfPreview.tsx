import { useEffect, useRef } from 'react';
import { texts } from '../texts.ts';
import './settings.css';

/** A person's own camera as others see it. */
export function SelfPreview({ track }: { track: MediaStreamTrack }) {
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    if (video.current) video.current.srcObject = new MediaStream([track]);
  }, [track]);
  return <video ref={video} autoPlay playsInline muted aria-label={texts.yourPicture} />;
}
