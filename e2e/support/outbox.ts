import { expect, type Page } from '@playwright/test';

/** Opens the demo's outbox and returns the part of the newest mail to an address that matches `form`, such as its link. */
export async function linkOf(page: Page, address: string, form: RegExp): Promise<string> {
  const mail = page.getByRole('article').filter({ hasText: address }).filter({ hasText: form }).first();
  await expect(async () => {
    await page.goto('/dev/outbox');
    await expect(mail).toBeVisible({ timeout: 500 });
  }).toPass();
  return form.exec((await mail.textContent()) ?? '')?.[0] ?? '';
}
