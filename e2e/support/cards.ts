import type { FrameLocator, Page } from '@playwright/test';

/** Numbers of the sandbox, by what it answers. */
export const cardNumbers = {
  good: '4242424242424242',
  other: '5555555555554444',
  declined: '4000000000000002',
  insufficient: '4000000000009995',
  expired: '4000000000000069',
  code: '4000000000000127',
  error: '4000000000000119',
  confirm: '4000002500003155',
  silent: '4000000000006009',
  comeback: '4000000000005134',
  dispute: '4000000000000259',
};

/** The field for a patient's card. */
export const cardFrame = (page: Page): FrameLocator => page.frameLocator('iframe[title="Card details"]');

/** Types a card with a right date and code into a field. */
export async function fillCard(frame: FrameLocator, digits: string): Promise<void> {
  await frame.getByLabel('Card number').fill(digits);
  await frame.getByLabel('Expiration date').fill('1230');
  await frame.getByLabel('Security code').fill('123');
}

/** The group of one card of a license. */
export const licenseCard = (page: Page, position: 'Primary' | 'Backup') =>
  page.getByRole('group', { name: position, exact: true });
