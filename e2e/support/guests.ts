import type { Page } from '@playwright/test';
import { expect, signIn } from './story.ts';
import { type MadeVisit, watchCalls } from './visit.ts';

/** A button by its name on these pages. */
export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

/** Signs the doctor in and opens the visit; media are watched. */
export async function comeAsDoctor(page: Page, visit: MadeVisit): Promise<void> {
  await watchCalls(page);
  await signIn(page, 'doctor@demo.test');
  await expect(page).toHaveURL(/waiting-room/);
  await page.goto(`/#/appointment/${visit.uid}`);
  await expect(page.getByLabel('Your video')).toBeVisible();
}

/** Opens the patient's link of the visit; media are watched. */
export async function comeByLink(page: Page, visit: MadeVisit): Promise<void> {
  await watchCalls(page);
  await page.goto(`/#/link/${visit.accessCode}`);
  await expect(page.getByLabel('Your video')).toBeVisible();
}

/** Invites a person in the open dialog, and returns the link that it shows. */
export async function invite(
  doctor: Page,
  { name, role, contact = '' }: { name: string; role: string; contact?: string },
) {
  const dialog = doctor.getByRole('dialog', { name: 'Invite a person' });
  if (!(await dialog.isVisible())) await button(doctor, 'Invite a person').click();
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('This person is').click();
  await doctor.getByRole('option', { name: role }).click();
  await dialog.getByLabel('Email or phone (optional)').fill(contact);
  await dialog.getByRole('button', { name: 'Create link' }).click();
  const row = dialog.getByRole('listitem').filter({ hasText: name });
  await expect(row).toContainText('Waiting');
  return (await row.getByText(/#\/guest\//).textContent()) ?? '';
}

/** `watchCalls` must have been called. */
export async function join(page: Page, link: string, name: string): Promise<void> {
  await page.goto(link);
  await expect(page.getByRole('heading', { name: `Hello ${name}` })).toBeVisible();
  await button(page, 'Join').click();
}
