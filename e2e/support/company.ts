import { randomBytes } from 'node:crypto';
import { type Api, apiAs } from './api.ts';
import { demoPassword } from './server.ts';

/** A clinic that only one story uses. */
export interface Clinic {
  readonly companyId: number;
  readonly name: string;
  /** Of its users, in the order of their roles. */
  readonly emails: readonly string[];
  /** A Super. */
  readonly root: Api;
}

/** Creates a clinic with the settings of the demo's and others, and a user of each role; all have the demo's password. */
export async function createClinic(
  demo: { readonly url: string },
  roles: readonly ('A' | 'D' | 'U')[],
  settings: object = {},
): Promise<Clinic> {
  const root = await apiAs(demo, 'super@demo.test');
  const { data } = await root<{ data: { companyId: number }[] }>(
    'GET',
    '/api/companies?top=1&skip=0&filter=Demo%20Clinic',
  );
  const like = await root<Record<string, unknown>>('GET', `/api/companies/${data[0]?.companyId}`);
  const { companyUid: _uid, created: _created, currency: _currency, hasPmtPassword: _has, ...fields } = like;
  const name = `Clinic ${randomBytes(4).toString('hex')}`;
  const body = { ...fields, companyId: 0, version: 0, companyName: name, ...settings };
  const { companyId } = await root<{ companyId: number }>('PUT', '/api/companies', body);
  const contact = { phone: '', notificationType: 0, notifyForUsers: [], npi: '', selfPayFee: '', disabled: false };
  const emails = roles.map((roleId, index) => `${roleId.toLowerCase()}${index}@${companyId}.test`);
  for (const [index, email] of emails.entries()) {
    const user = { userId: 0, version: 0, firstName: 'Ada', lastName: 'Key', email, roleId: roles[index], companyId };
    await root('PUT', '/api/users', { ...user, ...contact, passwordString: demoPassword });
  }
  return { companyId, name, emails, root };
}

interface Settings {
  /** Minutes; 0 = none. */
  limit?: number;
  allowRecording?: boolean;
  paymentProcessor?: 'sandbox' | null;
  pmtUser?: string;
  pmtPassword?: string;
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

/** Lets the patients of the demo's company pay by card, without any money. */
export const takeCards = (demo: { readonly url: string }): Promise<() => Promise<void>> =>
  changeCompany(demo, { paymentProcessor: 'sandbox', pmtUser: 'harbor', pmtPassword: 'a-secret-of-the-sandbox' });

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
