import { expect, phone, signIn, test } from './support/story.ts';
import { buildAppointmentInRoom, expectVideo, reads, say, watchCalls } from './support/visit.ts';

const networks = [
  { name: 'no WebSockets', missing: ['WebSocket'], uses: 'text/event-stream' },
  { name: 'nothing but plain requests', missing: ['WebSocket', 'EventSource'], uses: 'application/octet-stream' },
];

for (const { name, missing, uses } of networks) {
  test(`patient whose network allows only ${name}: has video, sound and chat @HUB-1`, async ({ someone, demo }) => {
    const visit = await buildAppointmentInRoom(demo, { patient: 7 });
    const { page: doctor } = await someone();
    await watchCalls(doctor);
    await signIn(doctor, 'doctor@demo.test');
    const { page: patient } = await someone({ viewport: phone });
    await watchCalls(patient);
    await patient.addInitScript((names) => {
      for (const one of names) Reflect.deleteProperty(globalThis, one);
    }, missing);
    const carried = patient.waitForResponse((answer) => (answer.headers()['content-type'] ?? '').startsWith(uses));
    await patient.goto(`/#/link/${visit.accessCode}`);
    await carried;
    await doctor.goto(`/#/appointment/${visit.uid}`);
    await Promise.all([expectVideo(doctor), expectVideo(patient)]);
    await say(doctor, 'Can you read me?');
    await reads(patient, 'Can you read me?');
    await say(patient, 'I can.');
    await reads(doctor, 'I can.');
    await doctor.getByRole('button', { name: 'End the call' }).click();
    await doctor.getByRole('button', { name: 'Finish call' }).click();
    await expect(patient).toHaveURL(/#\/thank-you/);
  });
}
