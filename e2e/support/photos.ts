import { type APIRequestContext, expect, type Page } from '@playwright/test';
import { apiAs, bookAppointment } from './api.ts';
import { demoPassword } from './server.ts';

/** Draws a JPEG of a color with a number. */
const draw = async (page: Page, number: number): Promise<Buffer> => {
  const base64 = await page.evaluate((n) => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [1280, 960];
    const context = canvas.getContext('2d');
    if (!context) return '';
    context.fillStyle = `hsl(${n * 47} 45% 55%)`;
    context.fillRect(0, 0, 1280, 960);
    context.fillStyle = 'white';
    context.font = '400px sans-serif';
    context.fillText(String(n), 500, 620);
    return canvas.toDataURL('image/jpeg', 0.8).split(',')[1] ?? '';
  }, number);
  return Buffer.from(base64, 'base64');
};

async function tokenOf(request: APIRequestContext): Promise<string> {
  const data = { isPatient: false, user: { email: 'admin@demo.test', password: demoPassword } };
  return ((await (await request.post('/api/auth/login', { data })).json()) as { accessToken: string }).accessToken;
}

/** Adds photos to a patient of the demo, without a room. Returns the patient. */
export async function buildPhotos(page: Page, demo: { url: string }, patient: string, count: number): Promise<number> {
  const api = await apiAs(demo, 'admin@demo.test');
  await api('POST', '/api/patients', {
    patientId: 0,
    version: 0,
    firstName: 'Robin',
    lastName: patient,
    doB: '1984-02-29',
    email: '',
    externalId: '',
    patientPhones: [{ phone: '2125550143' }],
  });
  const visit = await bookAppointment(api, { doctor: 'Reyes', patient });
  const authorization = `Bearer ${await tokenOf(page.request)}`;
  for (let number = 1; number <= count; number += 1) {
    const stored = await page.request.post(`/api/photos?session=${visit.appointmentUid}&key=picture-${number}`, {
      headers: { authorization, 'content-type': 'image/jpeg' },
      data: await draw(page, number),
    });
    expect(stored.status()).toBe(200);
  }
  return visit.patientId;
}
