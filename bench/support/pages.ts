import type { Call } from '@roomside/contract/call.ts';
import type { App } from '../../server/src/app.ts';
import { buildCompany, buildUser } from '../../server/src/demo/builders.ts';
import { median, round } from './load.ts';
import { signIn } from './requests.ts';

export const password = 'bench-password-2026';

/** A text that was read, and how long it took, ms. */
interface Timed {
  readonly ms: number;
  readonly text: string;
}

/** Reads a call with a query as a signed-in user. */
export type Read = (call: Pick<Call, 'path'>, query: Readonly<Record<string, string>>) => Promise<Timed>;

/** Signs a user in at an application that listens, and returns how to read as that user. */
export async function readAs(port: number, user: { readonly email: string }): Promise<Read> {
  const { accessToken } = await signIn(port, { email: user.email, password });
  return async ({ path }, query) => {
    const start = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}${path}?${new URLSearchParams(query)}`, {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return { ms: performance.now() - start, text };
  };
}

/** Reads so often and returns the median, ms. Prints it. */
export async function medianOf(name: string, requests: number, read: () => Promise<Timed>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < requests; i += 1) times.push((await read()).ms);
  const ms = round(median(times));
  process.stdout.write(`${name}: ${ms} ms\n`);
  return ms;
}

/** A company in UTC with an administrator who signs in with {@link password}. */
export async function buildClinic({ context }: App, timeZone = 'UTC') {
  const { companyId } = await buildCompany(context, { timeZone });
  const { email, userId } = await buildUser(context, { companyId, role: 'A', password });
  return { companyId, email, userId };
}
