import { type ReactNode, useState } from 'react';
import { Button } from '../../../ui/Button.tsx';
import { DialogFrame } from '../../../ui/DialogFrame.tsx';
import type { LocalMedia } from '../media/local-media.ts';
import { playTestTone } from '../media/test-tone.ts';
import { texts as words } from './check-texts.ts';
import { texts as deviceTexts, helpToAllow } from './device-texts.ts';
import { LevelMeter } from './LevelMeter.tsx';
import { SelfPreview } from './SelfPreview.tsx';
import type { DeviceChecking } from './use-device-check.ts';
import { useStore } from './use-room.ts';
import './settings.css';
import './device-check.css';

interface Props {
  media: LocalMedia;
  checking: DeviceChecking;
  onClose: () => void;
}

/** Loudness of a voice at a usual distance, as the level meter shows it. */
const voiceLevel = 0.35;

/** The check before the visit: camera, microphone, speaker and connection in plain words. It can be left at any time. */
export function DeviceCheckDialog({ media, checking, onClose }: Props) {
  const { report, isTesting, hear, retest } = checking;
  const { speaker } = useStore(media.view);
  const [hasPlayed, setPlayed] = useState(false);

  async function play() {
    try {
      await playTestTone(speaker);
      setPlayed(true);
    } catch {
      hear({ sound: false });
    }
  }

  return (
    <DialogFrame
      title={words.title}
      text={words.intro}
      width="sm"
      onClose={onClose}
      actions={
        <Button look="primary" onClick={onClose}>
          {words.done}
        </Button>
      }
    >
      <ul className="room-check">
        <Row
          name={words.camera}
          state={report.camera === 'works' ? 'fine' : 'fault'}
          text={words.cameraIs[report.camera]}
        >
          {media.cameraImage && (
            <div className="room-settings-preview room-check-preview">
              <SelfPreview track={media.cameraImage} />
            </div>
          )}
          {report.camera !== 'works' && report.camera !== 'unknown' && (
            <>
              {report.camera === 'refused' && <p>{helpToAllow(navigator.userAgent)}</p>}
              <Button look="secondary" onClick={() => void media.retry()}>
                {deviceTexts.retry}
              </Button>
            </>
          )}
        </Row>
        <Row
          name={words.microphone}
          state={report.microphone === 'works' ? 'fine' : report.microphone === 'unknown' ? 'open' : 'fault'}
          text={words.microphoneIs[report.microphone]}
        >
          {report.microphone === 'missing' ? (
            <Button look="secondary" onClick={() => void media.retrySound()}>
              {deviceTexts.retry}
            </Button>
          ) : (
            <LevelMeter track={media.microphone} onLevel={(level) => level > voiceLevel && hear({ voice: true })} />
          )}
        </Row>
        <Row
          name={words.speaker}
          state={report.speaker === 'works' ? 'fine' : report.speaker === 'silent' ? 'fault' : 'open'}
          text={words.speakerIs[report.speaker]}
        >
          <div className="room-check-buttons">
            <Button look="secondary" onClick={() => void play()}>
              {words.play}
            </Button>
            {hasPlayed && (
              <>
                <span id="heard">{words.heard}</span>
                <Button look="quiet" aria-describedby="heard" onClick={() => hear({ sound: true })}>
                  {words.yes}
                </Button>
                <Button look="quiet" aria-describedby="heard" onClick={() => hear({ sound: false })}>
                  {words.no}
                </Button>
              </>
            )}
          </div>
        </Row>
        <Row
          name={words.connection}
          state={
            isTesting
              ? 'open'
              : report.connection === 'good'
                ? 'fine'
                : report.connection === 'unknown'
                  ? 'open'
                  : 'fault'
          }
          text={isTesting ? words.testing : words.connectionIs[report.connection]}
        >
          {!isTesting && (
            <Button look="secondary" onClick={retest}>
              {words.retest}
            </Button>
          )}
        </Row>
      </ul>
    </DialogFrame>
  );
}

interface RowProps {
  name: string;
  state: 'fine' | 'fault' | 'open';
  text: string;
  children: ReactNode;
}

const marks = { fine: '✓', fault: '!', open: '…' } as const;

function Row({ name, state, text, children }: RowProps) {
  return (
    <li className="room-check-row" data-state={state}>
      <span className="room-check-mark" aria-hidden="true">
        {marks[state]}
      </span>
      <div>
        <h3>{name}</h3>
        <p role="status">{text}</p>
        {children}
      </div>
    </li>
  );
}
