import type { Page } from '@playwright/test';
import { button, comeAsDoctor, comeByLink, invite, join } from './support/guests.ts';
import { expect, expectAccessible, phone, test } from './support/story.ts';
import { buildAppointmentInRoom, expectMediaOf, watchCalls } from './support/visit.ts';

test('four people: are shown in three columns, every pair sees and hears each other, and a fifth reads why there is no place', async ({
  someone,
  demo,
}) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 4 });
  const { page: doctor } = await someone();
  await comeAsDoctor(doctor, visit);
  const links = [];
  for (const [name, role] of [
    ['Maria Lopez', 'Interpreter'],
    ['Ana Reyes', 'Family member'],
    ['Eva Stone', 'Colleague'],
  ] as const)
    links.push({ name, link: await invite(doctor, { name, role }) });
  await doctor.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click();
  const guests: Page[] = [];
  for (const { name, link } of links.slice(0, 2)) {
    const { page } = await someone();
    await watchCalls(page);
    await join(page, link, name);
    guests.push(page);
  }
  const { page: patient } = await someone();
  await comeByLink(patient, visit);
  await Promise.all([doctor, patient, ...guests].map((page) => expectMediaOf(page, 3)));
  const columns = await doctor
    .locator('.room-grid')
    .evaluate((grid) => getComputedStyle(grid).gridTemplateColumns.split(' ').length);
  expect(columns).toBe(3);
  await expectAccessible(doctor);

  const { page: fifth } = await someone({ viewport: phone });
  await watchCalls(fifth);
  await join(fifth, links[2]?.link ?? '', 'Eva Stone');
  await expect(fifth.getByRole('heading', { name: 'This visit is full: 4 people are in it.' })).toBeVisible();
  await expectAccessible(fifth);
  await button(guests[0] as Page, 'Leave the room').click();
  await button(fifth, 'Try Again').click();
  await expectMediaOf(fifth, 3);
});
