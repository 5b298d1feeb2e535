import type { Teleappointment } from '@roomside/contract/room/calls.ts';
import { saveDeviceCheck } from '@roomside/contract/waiting-room/calls.ts';
import type { DeviceCheck } from '@roomside/contract/waiting-room/device-check.ts';
import { useCallback, useEffect, useEffectEvent, useState } from 'react';
import { reachServer } from '../../../api/reach-server.ts';
import { send } from '../../../api/send.ts';
import { systemClock } from '../core/clock.ts';
import { testConnection, testServer } from '../media/connection-test.ts';
import { type Heard, reportOf } from '../media/device-report.ts';
import type { LocalMedia } from '../media/local-media.ts';
import { useStore } from './use-room.ts';

/** Results that follow each other quickly are sent together, ms. */
const sendDelayMs = 1_000;

export interface DeviceChecking {
  report: DeviceCheck;
  isTesting: boolean;
  /** What the person says or the page hears. */
  hear: (heard: Heard) => void;
  /** Measures the connection again. */
  retest: () => void;
}

interface Options {
  visit: Teleappointment;
  media: LocalMedia;
  /** The device is checked, on a patient's or guest's way in. */
  isOn: boolean;
  /** Only patients' devices are reported. */
  isReported: boolean;
}

/** Checks a patient's device on the way in, and sends the result to the clinic's waiting room. */
export function useDeviceCheck({ visit, media, isOn, isReported }: Options): DeviceChecking {
  const [heard, setHeard] = useState<Heard>({});
  const [attempt, setAttempt] = useState(0);
  const [isTesting, setTesting] = useState(false);
  const { device } = useStore(media.view);
  const { iceServers } = visit;
  const uid = visit.appointment.appointmentUid;
  const hear = useCallback((next: Heard) => setHeard((before) => ({ ...before, ...next })), []);

  const measure = useEffectEvent(() => {
    const now = () => performance.now();
    if (iceServers.length === 0) return testServer({ reach: reachServer, now });
    return testConnection({
      connect: () => new RTCPeerConnection({ iceServers, iceTransportPolicy: 'relay' }),
      now,
      after: systemClock.after,
    });
  });
  useEffect(() => {
    if (!isOn) return;
    let isCurrent = true;
    setTesting(true);
    void measure().then((connection) => {
      if (!isCurrent) return;
      setTesting(false);
      hear({ connection: connection ?? null });
    });
    return () => {
      isCurrent = false;
    };
  }, [isOn, attempt, hear]);

  const report = reportOf(media, heard);
  const text = JSON.stringify(report);
  const isDecided = device.status !== 'idle' && device.status !== 'asking';
  useEffect(() => {
    if (!isOn || !isReported || !isDecided) return;
    return systemClock.after(sendDelayMs, () => {
      // A lost report is sent with the next change; the visit does not depend on it.
      void send(saveDeviceCheck, { params: { uid }, body: JSON.parse(text) as DeviceCheck }).catch(() => undefined);
    });
  }, [isOn, isReported, isDecided, text, uid]);

  return { report, isTesting, hear, retest: () => setAttempt((count) => count + 1) };
}
