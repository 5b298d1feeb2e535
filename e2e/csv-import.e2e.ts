import fs from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { createClinic } from './support/company.ts';
import { exportedFiles } from './support/csv-exports.ts';
import { holdServerReading, releaseServerReading, startHoldableDemo } from './support/holdable-demo.ts';
import { withSeparateDemo } from './support/separate-demo.ts';
import {
  desktop,
  expect,
  expectAccessible,
  expectAccessibleEverywhere,
  phone,
  type Someone,
  signIn,
} from './support/story.ts';

/** A separate clinic: other stories look at the list of patients. */
const test = withSeparateDemo(startHoldableDemo);
test.afterEach(releaseServerReading);

const upload = (page: Page, { name, bytes }: { name: string; bytes: Buffer }) =>
  page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: bytes });

/** The number of a count, such as 'New patients'. */
const count = (page: Page, name: string): Locator =>
  page.locator('.csv-tiles > div').filter({ hasText: name }).getByRole('definition');

/** Rows with long notes, which make the file larger than what the server reads while it is held. */
const rowsOf = (row: (at: number) => string): string[] =>
  Array.from({ length: 4_000 }, (_, at) => `${row(at)},${'No allergies. '.repeat(20)}`);

/** Waits until a check or an import, which is held, has done rows. */
const expectBegun = (bar: Locator) =>
  expect.poll(async () => Number(await bar.getAttribute('aria-valuenow'))).toBeGreaterThan(0);

/** Cancels an import that is held, and lets the server go on as soon as it knows. */
async function cancelHeld(page: Page, choice: 'Stop and keep' | 'Stop and undo'): Promise<void> {
  await page.getByRole('button', { name: 'Cancel the import' }).click();
  const cancelled = page.waitForResponse((response) => response.url().endsWith('/cancel'));
  await page.getByRole('alertdialog').getByRole('button', { name: choice }).click();
  expect((await cancelled).status()).toBe(204);
  releaseServerReading();
}

/** A line on which a file would take minutes, so that its upload goes on until the returned function is called. */
async function slowLine({ context, page }: Someone, bytes: Buffer): Promise<() => Promise<void>> {
  const line = await context.newCDPSession(page);
  const set = async (uploadThroughput: number) => {
    const conditions = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput };
    await line.send('Network.emulateNetworkConditions', conditions);
  };
  await set(bytes.length / 120);
  return () => set(-1);
}

const step = (page: Page) => page.getByRole('list', { name: 'Steps of the import' }).locator('[aria-current=step]');

test('import of patients: a wizard from the upload to the undoing, with an export of OpenEMR @CSV-1 @CSV-2 @CSV-3 @CSV-4 @CSV-5 @STATE-28 @VALID-29 @CALL-30 @ENTITY-16', async ({
  someone,
  allow,
}) => {
  // Refused uploads.
  allow(/415|404|Failed to load resource/);
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await page.goto('/#/admin/home');
  await page.getByRole('link', { name: 'Import Patients (CSV)' }).click();
  await expect(page).toHaveURL(/#\/admin\/csv-import$/);
  await expect(page.getByRole('heading', { name: 'Import Patients from CSV', level: 1 })).toBeVisible();
  await expect(page.getByRole('list', { name: 'Steps of the import' }).getByRole('listitem')).toHaveText([
    /Upload a CSV File/,
    /Map the Fields/,
    /Done/,
  ]);
  await expect(step(page)).toContainText('Upload a CSV File');
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(desktop);
  await page.getByRole('button', { name: 'Back to the previous page' }).click();
  await expect(page).toHaveURL(/#\/admin\/home$/);
  await expect(page.getByRole('heading', { name: 'Administration', level: 1 })).toBeVisible();
  await page.goForward();

  // Other files are refused, by their name and by their content.
  await upload(page, { name: 'patients.xlsx', bytes: Buffer.from('x') });
  await expect(page.getByRole('alert')).toContainText('Only files whose names end in .csv');
  await upload(page, { name: 'archive.csv', bytes: Buffer.from('504b0304140006000800', 'hex') });
  await expect(page.getByRole('alert')).toContainText('This isn’t a CSV file.');
  // The bar of the upload is gone, and another file can be chosen (ERROR-10).
  await expect(page.getByRole('progressbar', { name: 'Progress of the upload' })).toHaveCount(0);

  const file = exportedFiles.openEmr;
  const progress: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/api/csv/files')) progress.push(request.headers()['content-type'] ?? '');
  });
  await drop(page, file);
  await expect(step(page)).toContainText('Map the Fields');
  expect(progress[0]).toMatch(/^multipart\/form-data; boundary=/);
  await expect(page.getByRole('checkbox', { name: 'The file has column headers' })).toBeChecked();
  for (const [field, column] of Object.entries(file.columns))
    await expect(page.getByRole('combobox', { name: field, exact: field === 'Phone' })).toHaveText(column);
  const preview = page.getByRole('region', { name: 'The first rows' });
  await expect(preview.getByRole('row').nth(1)).toContainText('Olivia');
  await expect(preview.getByRole('row').nth(1)).toContainText('01/05/1980');
  await expect(preview.getByRole('row').nth(1)).toContainText('(212) 555-0102 (212) 555-0101');
  await expect(preview.getByRole('row').nth(4)).toContainText('Please provide at least one phone or an email.');
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(desktop);

  // A required field without a column, and a reload in the middle.
  await pick(page, 'Birth date', 'Not in the file');
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(page.getByRole('combobox', { name: 'Birth date' })).toHaveAccessibleDescription('Required');
  await expect(step(page)).toContainText('Map the Fields');
  // The columns cannot be read at first.
  const columns = '**/api/csv/files/*/columns*';
  await page.route(columns, (route) => route.fulfill({ status: 404 }));
  await page.reload();
  const failed = page.getByRole('region', { name: 'Map the Fields' });
  await expect(failed.getByRole('button', { name: 'Back', exact: true })).toBeVisible();
  await page.unroute(columns);
  await failed.getByRole('button', { name: 'Try Again' }).click();
  await expect(page.getByRole('combobox', { name: 'Birth date' })).toHaveText('DOB');
  await page.getByRole('button', { name: 'Upload', exact: true }).click();

  // The check: nothing has been changed yet.
  await expect(page.getByRole('heading', { name: 'What the import will do' })).toBeVisible();
  await expect(count(page, 'New patients')).toHaveText('2');
  await expect(count(page, 'Wrong rows')).toHaveText('2');
  const wrong = page.getByRole('region', { name: 'Rows that are left out' });
  await expect(wrong.getByRole('row')).toHaveText([
    /Line/,
    /4Please provide at least one phone or an email\./,
    /5Birth date0000-00-00There is no such day\./,
  ]);
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(desktop);
  await page.getByRole('button', { name: 'Change the fields' }).click();
  await expect(page.getByRole('combobox', { name: 'Birth date' })).toHaveText('DOB');
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await page.getByRole('button', { name: 'Import 2 patients' }).click();

  await expect(page.getByText('2 record(s) have been uploaded')).toBeVisible();
  await expect(step(page)).toContainText('Done');
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(desktop);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download these rows' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('patient_data wrong rows.csv');
  const rows = fs.readFileSync(await download.path(), 'utf8');
  expect(rows).toContain('Line,Problem\r\n8103,');
  await page.getByRole('link', { name: 'See the patients' }).click();
  await page.getByRole('searchbox').fill('8102');
  await expect(page.getByRole('row').nth(1)).toContainText("O'Hara-Lee");

  // The corrected rows are uploaded again; only what is new is created.
  await page.goto('/#/admin/csv-import');
  await upload(page, {
    name: 'corrected.csv',
    bytes: Buffer.from(
      rows
        .replace('0000-00-00', '1999-09-09')
        .replace(
          '8103,Ms.,Baby,Nocontact,,2024-02-29,"12 Main St, Apt 4",10001,New York,NY,,,',
          '8103,Ms.,Baby,Nocontact,,2024-02-29,"12 Main St, Apt 4",10001,New York,NY,,212-555-0199,',
        ),
    ),
  });
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await page.getByRole('button', { name: 'Import 2 patients' }).click();
  await expect(page.getByText('2 record(s) have been uploaded')).toBeVisible();
  await page.getByRole('button', { name: 'Upload More' }).click();
  await expect(step(page)).toContainText('Upload a CSV File');

  // The list of past imports, and the undoing of one.
  const past = page.getByRole('region', { name: 'Past imports' });
  await expect(past.getByRole('listitem')).toHaveCount(2);
  await expect(past.getByRole('listitem').first()).toContainText('2 new · 0 updated · 0 up to date · 0 left out');
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(desktop);
  await page.getByRole('button', { name: 'Undo the import of corrected.csv' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Undo this import' }).click();
  await expect(page.getByText('The import was undone for 2 patients.')).toBeVisible();
  await page.goto('/#/patient-list');
  await page.getByRole('searchbox').fill('8103');
  await expect(page.getByText('No patients found')).toBeVisible();
});

test('import of patients: exports of Easy!Appointments, Jane and Excel are read as they are', async ({ someone }) => {
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  const outcomes = {
    easyAppointments: [2, 1, 0],
    jane: [2, 0, 1],
    windows: [2, 1, 0],
    unicodeText: [2, 2, 0],
  } as const;
  for (const [name, [created, wrong, doubled]] of Object.entries(outcomes)) {
    const file = exportedFiles[name as keyof typeof outcomes];
    await page.goto('/#/admin/csv-import');
    await upload(page, file);
    const box = (label: string | RegExp) => page.getByRole('combobox', { name: label, exact: true });
    await expect(box('Characters')).toHaveText(file.encoding);
    await expect(box('Separator')).toHaveText(file.separator);
    for (const [field, column] of Object.entries(file.columns))
      await expect(box(new RegExp(`^${field}`))).toHaveText(column);
    if (name === 'windows') {
      await expect(box('Dates like')).toHaveText('31/12/1980');
      await expect(box('Names in capitals')).toHaveText('Write as Ann Lee');
      await expect(page.getByRole('region', { name: 'The first rows' })).toContainText('Jörg');
      await pick(page, 'Names in capitals', 'Keep');
      await expect(page.getByRole('region', { name: 'The first rows' })).toContainText('JÖRG');
      // Read in another way, the names are not those of the file.
      await pick(page, 'Characters', 'Mac (Western)');
      await expect(page.getByRole('region', { name: 'The first rows' })).not.toContainText('JÖRG');
      await pick(page, 'Characters', 'Windows (Western)');
      await expect(page.getByRole('region', { name: 'The first rows' })).toContainText('Jörg');
    }
    if (name === 'unicodeText') await expect(page.getByText('Both names are in one column')).toBeVisible();
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await expect(count(page, 'New patients')).toHaveText(String(created));
    await expect(count(page, 'Wrong rows')).toHaveText(String(wrong));
    if (doubled > 0) await expect(count(page, 'Rows of the same patient')).toHaveText(String(doubled));
    await page.getByRole('button', { name: `Import ${created} patients` }).click();
    await expect(page.getByText(`${created} record(s) have been uploaded`)).toBeVisible();
  }
  await page.goto('/#/patient-list');
  for (const name of ['Müller', 'de la Cruz', 'Nguyễn', 'Asher']) {
    await page.getByRole('searchbox').fill(name);
    await expect(page.getByRole('row').nth(1)).toContainText(name);
  }
});

test('import of patients: can be used with keys on a phone, goes on after a reload, and can be cancelled', async ({
  someone,
}) => {
  const { page } = await someone({ viewport: phone, colorScheme: 'dark' });
  await signIn(page, 'admin@demo.test');
  await page.goto('/#/admin/csv-import');
  const rows = rowsOf((at) => `K${at},Kay,Many${at},1/5/1980,,kay${at}@many.test`);
  const bytes = Buffer.from(`id,First Name,Last Name,DOB,Phone,Email,Notes\r\n${rows.join('\r\n')}\r\n`);
  await upload(page, { name: 'many.csv', bytes });
  await expect(page.getByRole('heading', { name: 'Map the Fields' })).toBeFocused();
  await pick(page, 'External ID', 'id');
  // A line on which each answer takes longer than the time between two questions.
  await page.route('**/api/csv/progress*', async (route) => {
    const answer = await route.fetch();
    setTimeout(() => void route.fulfill({ response: answer }).catch(() => undefined), 1_000);
  });
  holdServerReading();
  await page.getByRole('button', { name: 'Upload', exact: true }).focus();
  await page.keyboard.press('Enter');
  const bar = page.getByRole('progressbar', { name: 'Progress' });
  await expectBegun(bar);
  releaseServerReading();
  const start = page.getByRole('button', { name: 'Import 4,000 patients' });
  await expect(start).toBeVisible({ timeout: 60_000 });
  await page.unroute('**/api/csv/progress*');
  holdServerReading();
  await start.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^Importing: /)).toBeVisible();
  await expectBegun(bar);
  await page.reload();
  const cancel = page.getByRole('button', { name: 'Cancel the import' });
  await expect(cancel).toBeVisible();
  await expectAccessible(page);
  await cancel.click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('Stop and keep: the patients that were imported so far stay.');
  await question.getByRole('button', { name: 'Go on importing' }).click();
  await cancelHeld(page, 'Stop and undo');
  await expect(page.getByText(/The import was undone for [1-9][\d,]* patients\./)).toBeVisible({ timeout: 60_000 });
  await page.goto('/#/patient-list');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('searchbox').fill('many.test');
  await expect(page.getByText('No patients found')).toBeVisible();
});

test('import of patients: a slow upload shows how far it is, and an import that is stopped keeps what it has done', async ({
  someone,
}) => {
  const { page, context } = await someone();
  await signIn(page, 'admin@demo.test');
  await page.goto('/#/admin/csv-import');
  const rows = rowsOf((at) => `H${at},Hal,Half${at},1/5/1980,,hal${at}@half.test`);
  const bytes = Buffer.from(`External ID,First Name,Last Name,DOB,Phone,Email,Notes\r\n${rows.join('\r\n')}\r\n`);
  const speedUp = await slowLine({ context, page }, bytes);
  await upload(page, { name: 'half.csv', bytes });
  const sent = page.getByRole('progressbar', { name: 'Progress of the upload' });
  await expect(page.getByText('Uploading half.csv')).toBeVisible();
  const percents = new Set<number>();
  await expect
    .poll(async () => percents.add(Number(await sent.getAttribute('aria-valuenow'))).size, { intervals: [50] })
    .toBeGreaterThan(2);
  expect([...percents]).toEqual([...percents].toSorted((a, b) => a - b));
  await expectAccessible(page);
  await speedUp();
  await expect(page.getByRole('heading', { name: 'Map the Fields' })).toBeFocused({ timeout: 30_000 });
  await expect(sent).toHaveCount(0);

  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  const start = page.getByRole('button', { name: 'Import 4,000 patients' });
  await expect(start).toBeVisible({ timeout: 60_000 });
  holdServerReading();
  await start.click();
  await expectBegun(page.getByRole('progressbar', { name: 'Progress' }));
  await cancelHeld(page, 'Stop and keep');
  const end = page.getByText(/record\(s\) have been uploaded\. The import was cancelled\./);
  await expect(end).toBeVisible({ timeout: 60_000 });
  const kept = Number(/^[\d,]+/.exec((await end.textContent()) ?? '')?.[0].replaceAll(',', ''));
  expect(kept).toBeGreaterThan(0);
  expect(kept).toBeLessThan(rows.length);
  // The same file again adds the rest.
  await page.getByRole('button', { name: 'Upload More' }).click();
  await expect(page.getByRole('region', { name: 'Past imports' }).getByRole('listitem').first()).toContainText(
    'Cancelled',
  );
  await upload(page, { name: 'half.csv', bytes });
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'What the import will do' })).toBeVisible({ timeout: 60_000 });
  await expect(count(page, 'Already up to date')).toHaveText(kept.toLocaleString('en-US'));
  await expect(count(page, 'New patients')).toHaveText((rows.length - kept).toLocaleString('en-US'));
});

test('import of patients: separator and order of dates can be changed, faults are shown beside the mapping, and an export changes nothing', async ({
  someone,
  allow,
}) => {
  // A refused upload.
  allow(/422|Failed to load resource/);
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await page.goto('/#/admin/csv-import');
  const header = 'First Name;Last Name;Birth Date;Email;Notes, with, many, of, them';
  await upload(page, { name: 'quote.csv', bytes: Buffer.from(`"First" Name;${header}\r\n`) });
  await expect(page.getByRole('alert')).toContainText('Line 1 of this file can’t be read.');
  const rows = [
    'Sep;Order;05/01/1980;sep@order.test;a, b, c, d, e',
    '"Q"u"ote;Order;05/01/1980;quote@order.test;a, b, c, d, e',
    'Tab;Order;06/01/1980;tab@order.test;"a", b, c, d, e',
  ];
  await upload(page, { name: 'order.csv', bytes: Buffer.from(`${[header, ...rows].join('\r\n')}\r\n`) });
  const box = (name: string) => page.getByRole('combobox', { name: new RegExp(`^${name}`) });
  const preview = page.getByRole('region', { name: 'The first rows' });
  await expect(box('Separator')).toHaveText('Comma');
  await expect(box('First name')).not.toHaveText('First Name');
  await pick(page, 'Separator', 'Semicolon');
  for (const [field, column] of [
    ['First name', 'First Name'],
    ['Last name', 'Last Name'],
    ['Birth date', 'Birth Date'],
  ] as const)
    await expect(box(field)).toHaveText(column);
  await expect(preview.getByRole('row').nth(1)).toContainText('2Sep');
  await expect(preview.getByRole('row').nth(1)).toContainText('05/01/1980');
  await pick(page, 'Dates like', '31/12/1980');
  await expect(preview.getByRole('row').nth(1)).toContainText('01/05/1980');
  await expect(preview.getByRole('row').nth(3)).toContainText('A quotation mark is');
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(desktop);
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await page.getByRole('button', { name: /^Import \d patients?$/ }).click();
  await page.getByRole('link', { name: 'See the patients' }).click();
  await page.getByRole('searchbox').fill('sep@order.test');
  await expect(page.getByRole('row').nth(1)).toContainText('01/05/1980');

  await page.goto('/#/admin/csv-import');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download all patients' }).click(),
  ]);
  const exported = fs.readFileSync(await download.path());
  expect(exported.toString()).toContain('Sep,Order,1980-01-05');
  await upload(page, { name: download.suggestedFilename(), bytes: exported });
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(count(page, 'Already up to date')).toHaveText(/[1-9]/);
  for (const changed of ['New patients', 'Wrong rows']) await expect(count(page, changed)).toHaveText('0');
  for (const changed of ['Updated patients', 'Rows of the same patient'])
    await expect(count(page, changed)).toHaveCount(0);
});

async function pick(page: Page, field: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: new RegExp(`^${field}`) }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

/** Drags a file into the page. */
async function drop(page: Page, { name, bytes }: { name: string; bytes: Buffer }): Promise<void> {
  await page.evaluate(
    ({ fileName, content }) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([Uint8Array.from(content)], fileName, { type: 'text/csv' }));
      for (const type of ['dragenter', 'dragover', 'drop'])
        document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
    },
    { fileName: name, content: [...bytes] },
  );
}

test('import of patients: two administrators do not disturb each other, and each step waits for its own counts', async ({
  demo,
  someone,
}) => {
  const { emails } = await createClinic(demo, ['A', 'A']);
  const [ada = '', other = ''] = emails;
  const first = await someone();
  const second = await someone();
  for (const [{ page }, email] of [
    [first, ada],
    [second, other],
  ] as const) {
    await signIn(page, email);
    await page.goto('/#/admin/csv-import');
    await expect(page.getByRole('heading', { name: 'Upload a CSV File' })).toBeVisible();
  }
  const rows = rowsOf((at) => `T${at},Tess,Two${at},1/5/1980,,two${at}@two.test`);
  const bytes = Buffer.from(`External ID,First Name,Last Name,DOB,Phone,Email,Notes\r\n${rows.join('\r\n')}\r\n`);
  const speedUp = await slowLine(second, bytes);
  await upload(second.page, { name: 'theirs.csv', bytes });
  await expect(second.page.getByText('Uploading theirs.csv')).toBeVisible();

  // What is read of the import comes late.
  await first.page.route('**/api/csv/imports/*', async (route) => {
    const answer = await route.fetch();
    setTimeout(() => void route.fulfill({ response: answer }).catch(() => undefined), 500);
  });
  await upload(first.page, { name: 'ours.csv', bytes });
  await first.page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(globalThis, { seen });
    const note = () => {
      for (const text of document.querySelectorAll('#content .MuiAlert-root')) seen.push(text.textContent ?? '');
    };
    new MutationObserver(note).observe(document.body, { childList: true, subtree: true, characterData: true });
  });
  const seen = () => first.page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen);
  holdServerReading();
  await first.page.getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(first.page.getByText(/Checking the file/)).toBeVisible();
  // The other one comes back to the page, which reads what runs.
  const read = second.page.waitForResponse((response) => response.url().includes('/api/csv/progress'));
  await second.page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
  expect(await (await read).json()).toMatchObject({ import: { state: 'checking' } });
  await speedUp();
  await expect(second.page.getByRole('heading', { name: 'Map the Fields' })).toBeFocused({ timeout: 30_000 });

  releaseServerReading();
  const start = first.page.getByRole('button', { name: 'Import 4,000 patients' });
  await expect(start).toBeVisible({ timeout: 60_000 });
  holdServerReading();
  await start.click();
  await expectBegun(first.page.getByRole('progressbar', { name: 'Progress' }));
  await expect(first.page.getByText('Rows read')).toBeVisible();
  // Who opens the page sees whose file it is.
  const third = await someone();
  await signIn(third.page, other);
  await third.page.goto('/#/admin/csv-import');
  await expect(third.page.getByText(/^ours\.csv · Ada Key, /)).toBeVisible();
  await cancelHeld(first.page, 'Stop and keep');
  const end = /^[\d,]+ record\(s\) have been uploaded\. The import was cancelled\./;
  await expect(first.page.getByText(end)).toBeVisible({ timeout: 60_000 });
  expect((await seen()).filter((text) => !end.test(text))).toEqual([]);
});
