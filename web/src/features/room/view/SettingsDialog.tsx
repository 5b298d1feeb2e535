import { FormControlLabel, MenuItem, Switch, TextField } from '@mui/material';
import { useEffect, useId, useState } from 'react';
import { Button } from '../../../ui/Button.tsx';
import { DialogFrame } from '../../../ui/DialogFrame.tsx';
import type { DeviceList, ListedDevice } from '../media/device-list.ts';
import type { LocalMedia } from '../media/local-media.ts';
import { resolutions, wishOf } from '../media/resolutions.ts';
import { playTestTone } from '../media/test-tone.ts';
import { texts } from '../texts.ts';
import { LevelMeter } from './LevelMeter.tsx';
import { SelfPreview } from './SelfPreview.tsx';
import { texts as words } from './settings-texts.ts';
import { useStore } from './use-room.ts';
import './settings.css';

interface Props {
  media: LocalMedia;
  devices: DeviceList;
  /** ROLE-2: a patient's own size is set by staff only. */
  mayResize: boolean;
  onClose: () => void;
}

/** ROOM-3, settings: camera with a preview, microphone with its level, speaker with a test tone. */
export function SettingsDialog({ media, devices, mayResize, onClose }: Props) {
  const { cameras, microphones, speakers } = useStore(devices.view);
  const { speaker, wish, blur } = useStore(media.view);
  const [failed, setFailed] = useState<'camera' | 'microphone' | 'speaker'>();
  // Labels are known once the browser has permission.
  useEffect(() => void devices.refresh(false), [devices]);

  async function choose(kind: 'camera' | 'microphone', deviceId: string) {
    setFailed((await media.choose(kind, deviceId)) ? undefined : kind);
  }

  async function playTone() {
    try {
      await playTestTone(speaker);
      setFailed(undefined);
    } catch {
      setFailed('speaker');
    }
  }

  return (
    <DialogFrame
      title={words.title}
      width="sm"
      onClose={onClose}
      actions={
        <Button look="primary" onClick={onClose}>
          {words.done}
        </Button>
      }
    >
      <div className="room-settings">
        <div className="room-settings-preview">
          {media.cameraImage ? <SelfPreview track={media.cameraImage} /> : <p>{words.noCamera}</p>}
        </div>
        <div className="room-settings-fields">
          <DeviceSelect
            label={words.camera}
            none={words.noCamera}
            devices={cameras}
            current={media.camera?.getSettings().deviceId}
            error={failed === 'camera' ? words.cameraFailed : undefined}
            onChange={(id) => void choose('camera', id)}
          />
          {media.canBlur && (
            <FormControlLabel
              sx={{ minHeight: 44 }}
              label={words.blur}
              control={<Switch checked={blur} onChange={(_event, checked) => media.setBlur(checked)} />}
            />
          )}
          {mayResize && (
            <TextField
              select
              fullWidth
              label={words.size}
              value={resolutions.find(({ height }) => height === wish.height.ideal)?.id ?? ''}
              onChange={({ target }) => {
                const chosen = resolutions.find(({ id }) => id === target.value);
                if (chosen) void media.resize(wishOf(chosen));
              }}
            >
              {resolutions.map((one) => (
                <MenuItem key={one.id} value={one.id}>
                  {texts.resolution.name(one)}
                </MenuItem>
              ))}
            </TextField>
          )}
          <div>
            <DeviceSelect
              label={words.microphone}
              none={words.noMicrophone}
              devices={microphones}
              current={media.microphone?.getSettings().deviceId}
              error={failed === 'microphone' ? words.microphoneFailed : undefined}
              onChange={(id) => void choose('microphone', id)}
            />
            <LevelMeter track={media.microphone} />
          </div>
          <div className="room-settings-speaker">
            {speakers.length > 0 && (
              <DeviceSelect
                label={words.speaker}
                none={words.systemSpeaker}
                devices={speakers}
                current={speaker}
                error={undefined}
                onChange={(id) => media.chooseSpeaker(id)}
              />
            )}
            <Button look="secondary" onClick={() => void playTone()}>
              {words.test}
            </Button>
          </div>
          <p className="room-settings-error" role="alert">
            {failed === 'speaker' ? words.speakerFailed : ''}
          </p>
        </div>
      </div>
    </DialogFrame>
  );
}

interface SelectProps {
  label: string;
  /** Shown when there is no device, or the system chooses. */
  none: string;
  devices: readonly ListedDevice[];
  current: string | undefined;
  error: string | undefined;
  onChange: (deviceId: string) => void;
}

function DeviceSelect({ label, none, devices, current, error, onChange }: SelectProps) {
  const id = useId();
  const known = devices.some(({ deviceId }) => deviceId === current);
  return (
    <TextField
      select
      fullWidth
      id={id}
      label={label}
      value={known ? current : ''}
      onChange={({ target }) => onChange(target.value)}
      error={error !== undefined}
      helperText={error}
      disabled={devices.length === 0}
      slotProps={{ select: { displayEmpty: true }, inputLabel: { shrink: true } }}
    >
      <MenuItem value="" disabled>
        {none}
      </MenuItem>
      {devices.map(({ deviceId, label: name }, index) => (
        <MenuItem key={deviceId} value={deviceId}>
          {name || words.unnamed(label, index + 1)}
        </MenuItem>
      ))}
    </TextField>
  );
}
