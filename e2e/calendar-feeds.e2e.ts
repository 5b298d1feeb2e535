import { calendarOf, eventOf, startCalendarServer } from '../server/test/calendar-server.ts';
import { apiAs, bookAppointment, dayAhead, daysToWeekday } from './support/api.ts';
import { desktop, expect, expectAccessibleEverywhere, expectToast, phone, signIn, test } from './support/story.ts';

const zone = 'America/New_York';
/** Without appointments of the demo, and among the days that patients can book. */
const day = dayAhead(daysToWeekday(75));

test('calendars: a provider subscribes to the own visits, and busy times elsewhere are not offered', async ({
  someone,
  allow,
  startOwnDemo,
}) => {
  // The refused addresses.
  allow(/422/);
  const elsewhere = await startCalendarServer();
  const demo = await startOwnDemo({ EXTERNAL_CALENDAR_HOSTS: '127.0.0.1' });
  try {
    const api = await apiAs(demo, 'doctor@demo.test');
    const visit = await bookAppointment(api, { doctor: 'Reyes', patient: 'Nguyen', date: day, time: '1400' });

    const { page, context } = await someone({ url: demo.url });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await signIn(page, 'doctor@demo.test');
    await page.goto('/#/user');
    const section = page.getByRole('region', { name: 'Calendar' });

    // The own visits for another calendar: the address is shown once.
    await section.getByRole('button', { name: 'Create address' }).click();
    const field = section.getByRole('textbox', { name: 'Calendar address' });
    await expect(field).toHaveValue(/\/api\/calendar\/[\w-]{43}\.ics$/);
    await expect(section.getByText('Google Calendar', { exact: true })).toBeVisible();
    const first = await field.inputValue();
    await section.getByRole('button', { name: 'Copy address' }).click();
    await expectToast(page, 'The address has been copied.');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(first);
    await expectAccessibleEverywhere(page);
    await page.setViewportSize(desktop);
    const answer = await fetch(first);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/calendar; charset=utf-8']);
    const text = await answer.text();
    expect(text).toContain(`UID:${visit.appointmentUid}@roomside`);
    expect(text).not.toContain('Nguyen');
    expect((await fetch(first, { headers: { 'if-none-match': answer.headers.get('etag') ?? '' } })).status).toBe(304);

    // Initials are shown from the next reading on.
    const initials = section.getByRole('switch', { name: 'Show patients’ initials' });
    await initials.click();
    await expectToast(page, 'The calendar has been changed.');
    await expect(initials).toBeChecked();
    expect(await (await fetch(first)).text()).toMatch(/SUMMARY:Appointment \(\w\.N\.\)/);

    // Renewed: the old address ends.
    await section.getByRole('button', { name: 'Renew address' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Create new address' }).click();
    await expect(field).not.toHaveValue(first);
    const second = await field.inputValue();
    expect((await fetch(first)).status).toBe(404);
    expect(await (await fetch(second)).text()).toMatch(/SUMMARY:Appointment \(\w\.N\.\)/);
    await page.reload();
    await expect(section.getByText(/Last read by a calendar on/)).toBeVisible();
    await expect(field).toHaveCount(0);

    // The other calendar: what is wrong with an address is said at its field.
    const address = section.getByRole('textbox', { name: 'Address of the other calendar' });
    const save = section.getByRole('button', { name: 'Save address' });
    await save.click();
    await expect(address).toHaveAccessibleDescription(/Required/);
    await address.fill('http://calendar.example.test/a.ics');
    await save.click();
    await expect(address).toHaveAccessibleDescription(/Only addresses that begin with https/);
    await address.fill('https://10.0.0.1/a.ics');
    await save.click();
    await expect(address).toHaveAccessibleDescription(/private network/);
    elsewhere.serve('<html>Sign in</html>');
    await address.fill(`${elsewhere.url}/private/a.ics`);
    await save.click();
    await expect(address).toHaveAccessibleDescription(/no calendar at this address/);
    await expectAccessibleEverywhere(page);
    await page.setViewportSize(desktop);
    const nextDay = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
    const at = (time: string) => `TZID=${zone}:${day.replaceAll('-', '')}T${time}00`;
    elsewhere.serve(
      calendarOf(
        eventOf('UID:a', `DTSTART;${at('1000')}`, `DTEND;${at('1100')}`, 'SUMMARY:Dentist'),
        eventOf('UID:b', `DTSTART;VALUE=DATE:${nextDay.replaceAll('-', '')}`, 'SUMMARY:Away'),
        // The own visit, as a calendar that has subscribed to it may return it.
        eventOf(`UID:${visit.appointmentUid}@roomside`, `DTSTART;${at('1400')}`, `DTEND;${at('1430')}`),
      ),
    );
    await save.click();
    const part = section.locator('[tabindex="-1"]').filter({ has: page.getByText(/2 busy times ahead/) });
    await expect(part).toBeFocused();
    await expectToast(page, 'The calendar has been read.');

    // The calendar page shows them, without a title.
    await page.goto(`/#/schedule/daily/${day}`);
    await expect(page.getByText('Busy (external calendar) from 10:00 AM to 11:00 AM')).toHaveCount(1);
    await expect(page.getByText('Dentist')).toHaveCount(0);
    await expectAccessibleEverywhere(page);
    await page.setViewportSize(phone);
    await page.getByRole('tab', { name: 'Maya Reyes' }).click();
    await expect(page.getByText('Busy (external calendar)')).toBeVisible();
    // The month names who is busy for a whole day.
    await page.goto(`/#/schedule/monthly/${nextDay}`);
    await expect(page.getByText('Busy: Reyes')).toBeVisible();
    await page.setViewportSize(desktop);
    const cell = page.getByRole('cell').filter({ has: page.locator(`[data-date="${nextDay}"]`) });
    await expect(cell).toContainText('Busy: Reyes');
    await expect(page.getByText('Busy: Reyes')).toHaveCount(1);

    // It is not offered, neither to staff nor by link.
    const at14 = Date.parse(visit.startDate);
    const hour = (time: number) => new Date(at14 + (time - 14) * 3_600_000).toISOString();
    const query = `doctorId=${visit.doctorId}&date=${day}`;
    const picker = await api<{ data: { startDate: string; free: boolean }[] }>('GET', `/api/schedule/slots?${query}`);
    const freeAt = (time: number) => picker.data.find(({ startDate }) => startDate === hour(time))?.free;
    expect([freeAt(10), freeAt(10.5), freeAt(11)]).toEqual([false, false, true]);
    const admin = await apiAs(demo, 'admin@demo.test');
    const { companyUid } = await admin<{ companyUid: string }>('GET', '/api/companies/0');
    const offers = await fetch(
      `${demo.url}/api/booking/${companyUid}/slots?from=${day}&to=${day}&doctorId=${visit.doctorId}`,
    );
    const starts = ((await offers.json()) as { data: { startDate: string }[] }).data.map(({ startDate }) => startDate);
    expect([10, 10.5, 11].map((time) => starts.includes(hour(time)))).toEqual([false, false, true]);

    // Removed: the time is free again.
    await page.setViewportSize(desktop);
    await page.goto('/#/user');
    await section.getByRole('button', { name: 'Remove calendar' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove calendar' }).click();
    await expect(
      section.locator('[tabindex="-1"]').filter({ has: page.getByText('Address of the other calendar') }),
    ).toBeFocused();
    await expectToast(page, 'The calendar has been removed.');
    await page.goto(`/#/schedule/daily/${day}`);
    await expect(page.getByRole('group', { name: /Reyes, \d+ appointment/ })).toBeVisible();
    await expect(page.getByText('Busy (external calendar)')).toHaveCount(0);

    // Administrators: the calendar of a provider, and that of the clinic.
    const administrator = await someone({ url: demo.url });
    await signIn(administrator.page, 'admin@demo.test');
    await administrator.page.goto(`/#/admin/user/edit/${visit.doctorId}`);
    const theirs = administrator.page.getByRole('region', { name: 'Calendar' });
    await theirs.getByRole('button', { name: 'Remove', exact: true }).click();
    await administrator.page.getByRole('alertdialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await expect(theirs.getByRole('button', { name: 'Create address' })).toBeFocused();
    await expectToast(administrator.page, 'The address has been removed.');
    expect((await fetch(second)).status).toBe(404);
    await administrator.page.goto('/#/admin/company/edit');
    const clinics = administrator.page.getByRole('region', { name: 'Calendar of the clinic' });
    await clinics.getByRole('button', { name: 'Create address' }).click();
    const all = await clinics.getByRole('textbox', { name: 'Calendar address' }).inputValue();
    expect(await (await fetch(all)).text()).toContain('SUMMARY:Appointment: Maya Reyes');
    await expectAccessibleEverywhere(administrator.page);
  } finally {
    await elsewhere.close();
  }
});
