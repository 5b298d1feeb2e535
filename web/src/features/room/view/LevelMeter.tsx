import { useEffect, useEffectEvent, useRef } from 'react';
import { texts } from './settings-texts.ts';

interface Props {
  track: MediaStreamTrack | undefined;
  /** Called on each frame with 0 to 1. */
  onLevel?: (level: number) => void;
}

/** Shows how loud a microphone is, without drawing React on each frame. */
export function LevelMeter({ track, onLevel }: Props) {
  const report = useEffectEvent((level: number) => onLevel?.(level));
  const meter = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!track || typeof AudioContext === 'undefined') return;
    const context = new AudioContext();
    const analyser = context.createAnalyser();
    analyser.fftSize = 512;
    const source = context.createMediaStreamSource(new MediaStream([track]));
    source.connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    let frame = requestAnimationFrame(draw);
    function draw() {
      analyser.getFloatTimeDomainData(samples);
      const level = levelOf(samples);
      meter.current?.style.setProperty('--level', String(level));
      meter.current?.setAttribute('aria-valuenow', String(Math.round(level * 100)));
      report(level);
      frame = requestAnimationFrame(draw);
    }
    return () => {
      cancelAnimationFrame(frame);
      source.disconnect();
      void context.close();
    };
  }, [track]);
  return (
    <div
      ref={meter}
      className="room-level"
      role="meter"
      aria-label={texts.level}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={0}
    />
  );
}

/** Returns the loudness of samples as 0 to 1: -60 dB and below is 0, full scale is 1. */
export function levelOf(samples: Float32Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  const rms = Math.sqrt(sum / Math.max(1, samples.length));
  if (rms === 0) return 0;
  return Math.min(1, Math.max(0, 1 + (20 * Math.log10(rms)) / 60));
}
