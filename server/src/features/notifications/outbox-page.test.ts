import { notifyAppointment } from '@roomside/contract/appointments/calls.ts';
import { expect, test, vi } from 'vitest';
import { password, startTestApp } from '../../../test/test-app.ts';
import { buildAppointment, buildCompany, buildPatient, buildUser } from '../../demo/builders.ts';

const demo = await startTestApp({ demo: true });
const { context } = demo;
const page = async (url = demo.url) => {
  const response = await fetch(`${url}/dev/outbox`);
  return { status: response.status, type: response.headers.get('content-type'), html: await response.text() };
};

test('outbox page: the demo shows the messages, newest first, with links and escaped values', async () => {
  expect((await page()).html).toContain('Nothing has been sent yet.');
  const { companyId } = await buildCompany(context, { companyName: `Smith & Sons' <i>` });
  const { patientId } = await buildPatient(context, {
    companyId,
    firstName: `<script>alert('x')</script>`,
    email: 'pat@example.test',
    phones: ['2025550147'],
  });
  const doctor = await buildUser(context, { companyId, role: 'A', password });
  const person = await demo.signIn({ email: doctor.email, password });
  const appointments = [
    await buildAppointment(context, {
      companyId,
      patientId,
      doctorId: doctor.userId,
      startDate: '2030-03-08T19:30:00Z',
    }),
    await buildAppointment(context, {
      companyId,
      patientId,
      doctorId: doctor.userId,
      startDate: '2030-04-08T19:30:00Z',
    }),
  ];
  for (const appointment of appointments) {
    await person.call(notifyAppointment, { params: { appointmentId: appointment.appointmentId } });
    // Once in the mail and once in the text message.
    await vi.waitFor(
      async () => expect((await page()).html.split(`/#/link/${appointment.accessCode}</a>`)).toHaveLength(3),
      {
        timeout: 30_000,
      },
    );
  }
  const { html, type } = await page();
  expect(type).toBe('text/html; charset=utf-8');
  const [older, newer] = appointments;
  expect(html.indexOf(newer!.accessCode)).toBeLessThan(html.indexOf(older!.accessCode));
  expect(html).toContain(`<a href="http://localhost/#/link/${older!.accessCode}" target="_blank" rel="noopener">`);
  expect(html).toContain('BEGIN:VCALENDAR');
  expect(html).toContain('Smith &amp; Sons&#39; &lt;i&gt;');
  expect(html).toContain('Hello &lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;');
  // The content security policy allows no inline scripts and styles.
  expect(html).not.toMatch(/<script|<style|style="|<i>/);
  const sheet = /<link rel="stylesheet" href="([^"]+)">/.exec(html)?.[1] ?? '';
  const css = await fetch(`${demo.url}${sheet}`);
  expect([css.status, css.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
});

test('outbox page: returns 404 outside the demo', async () => {
  const real = await startTestApp();
  expect((await page(real.url)).status).toBe(404);
});
