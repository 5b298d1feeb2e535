import type { Page } from '@playwright/test';
import { countNotice, expectChat } from './faults.ts';
import type { Demo } from './server.ts';
import { expect, phone, type Someone, signIn } from './story.ts';
import { buildAppointmentInRoom, expectVideo, reads, say, watchCalls } from './visit.ts';

const lost = 'The video link is lost. Reconnecting...';

/** A visit in which both sides see and hear each other. */
export interface Meeting {
  readonly doctor: Page;
  readonly patient: Page;
  readonly uid: string;
  /** How often each side was notified of a lost link. */
  notices(): Promise<number[]>;
  /** Expects the same visit, and that each side has what both have written. */
  expectNothingLost(): Promise<void>;
}

export interface MeetingOptions {
  demo: Demo;
  someone: (options: { url: string; viewport?: typeof phone }) => Promise<Someone>;
  prepare?: (doctor: Page, patient: Page) => Promise<void>;
}

export async function meet({ demo, someone, prepare }: MeetingOptions): Promise<Meeting> {
  const visit = await buildAppointmentInRoom(demo);
  const { page: doctor } = await someone({ url: demo.url });
  const { page: patient } = await someone({ url: demo.url, viewport: phone });
  await prepare?.(doctor, patient);
  const counters: (() => Promise<number>)[] = [];
  for (const page of [doctor, patient]) {
    await watchCalls(page);
    counters.push(await countNotice(page, lost));
  }
  await signIn(doctor, 'doctor@demo.test');
  await patient.goto(`/#/link/${visit.accessCode}`);
  await expect(patient.getByLabel('Your video')).toBeVisible();
  await doctor.goto(`/#/appointment/${visit.uid}`);
  await Promise.all([expectVideo(doctor), expectVideo(patient)]);
  await say(doctor, 'Before.');
  await reads(patient, 'Before.');
  return {
    doctor,
    patient,
    uid: visit.uid,
    notices: () => Promise.all(counters.map((count) => count())),
    expectNothingLost: async () => {
      await say(doctor, 'After, from the doctor.');
      await reads(patient, 'After, from the doctor.');
      await say(patient, 'After, from the patient.');
      await reads(doctor, 'After, from the patient.');
      await expectChat([doctor, patient], ['Before.', 'After, from the doctor.', 'After, from the patient.']);
      for (const page of [doctor, patient]) await expect(page).toHaveURL(new RegExp(visit.uid));
    },
  };
}
