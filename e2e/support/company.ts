import { apiAs } from './api.ts';

interface Settings {
  /** Minutes; 0 = none. */
  limit?: number;
  allowRecording?: boolean;
}

/** What an administrator may send. */
const own = [
  ...['companyId', 'version', 'companyName', 'timeZone', 'remindBeforeMin', 'startHour', 'endHour', 'slot', 'duration'],
  ...['limit', 'selfPayFee', 'notifyUsersMin', 'noticeHours', 'genericSchedule', 'confirmBookings', 'allowRecording'],
  'notifyProviders',
];

/** Changes settings of the demo's company. Returns what restores them. */
export async function changeCompany(demo: { readonly url: string }, values: Settings): Promise<() => Promise<void>> {
  const before = await change(demo, values);
  return async () => void (await change(demo, before));
}

/** Changes settings of the demo's company while `work` runs. */
export async function withCompany<T>(
  demo: { readonly url: string },
  values: Settings,
  work: () => Promise<T>,
): Promise<T> {
  const restore = await changeCompany(demo, values);
  try {
    return await work();
  } finally {
    await restore();
  }
}

/** Returns the previous values. */
async function change(demo: { readonly url: string }, values: Settings): Promise<Settings> {
  const api = await apiAs(demo, 'admin@demo.test');
  const company = await api<Record<string, unknown>>('GET', '/api/companies/0');
  const body = { ...Object.fromEntries(own.map((name) => [name, company[name]])), ...values };
  await api('PUT', '/api/companies', body);
  return Object.fromEntries(Object.keys(values).map((name) => [name, company[name]]));
}
