import pg from 'pg';
import { buildCompany, buildUser } from '../src/demo/builders.ts';
import type { Context } from '../src/platform/context.ts';
import { cardToken } from './card-token.ts';
import { startServer } from './server-process.ts';
import { settleCharges } from './settle-charges.ts';
import { password } from './test-app.ts';

/** What purchases of licenses became whose server was killed again and again. */
export interface LicenseKills {
  kills: number;
  /** Purchases that a kill stopped after the charge was created. */
  stopped: number;
  /** Companies for which the processor's own book has more than one payment. */
  chargedTwice: number;
  /** Companies whose license, invoices and payments do not agree: each payment is one invoice and one year. */
  differences: number;
  /** Charges that are still open at the end. */
  open: number;
  /** Numbers of invoices that are missing between 1 and the last one. */
  gaps: number;
}

const ends = '2099-12-31';

/**
 * Buys licenses by several simultaneous requests and kills the server (SIGKILL) at a random moment, round after round; the next server ends
 * what was open. Administrators whose request was cut off pay again, from the same page.
 */
export async function runLicenseKills(
  context: Context,
  database: { application: pg.ClientConfig; owner: pg.ClientConfig },
  { rounds, perRound }: { rounds: number; perRound: number },
): Promise<LicenseKills> {
  const owner = new pg.Client(database.owner);
  await owner.connect();
  const count = async (text: string) => (await owner.query<{ n: number }>(text)).rows[0]?.n ?? -1;
  const openCharges = () =>
    count("select count(*)::int as n from charges where state in ('created', 'asked', 'action')");
  const env = { LICENSE_PRICE: '100', LICENSE_PROCESSOR: 'sandbox' };
  let server = await startServer(database.application, env);
  let [kills, stopped, typicalMs] = [0, 0, 80];
  const send = async (path: string, body: unknown, token?: string) => {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    });
    // oxlint-disable-next-line typescript/no-explicit-any -- a test's own requests.
    return (await response.json()) as any;
  };
  const pay = ({ companyId, token }: { companyId: number; token: string }, outcome = 'paid') =>
    send(
      '/api/licenses/pay',
      {
        user: { company: { companyId, providerCount: 2 } },
        promoCode: null,
        card: { token: cardToken(outcome) },
        backup: null,
        amount: '200.00',
        expirationDate: ends,
      },
      token,
    );
  const settle = () => settleCharges(server, openCharges);
  try {
    for (let round = 0; round < rounds; round += 1) {
      const companies = await Promise.all(
        Array.from({ length: perRound }, async () => {
          const { companyId } = await buildCompany(context, { timeZone: 'UTC', expirationDate: ends });
          const { email } = await buildUser(context, { companyId, role: 'A', password });
          const { accessToken } = await send('/api/auth/login', { isPatient: false, user: { email, password } });
          return { companyId, token: accessToken as string };
        }),
      );
      // The first answer about half of the cards is lost: they are charged, and not recorded, when the kill comes.
      const requests = Promise.allSettled(companies.map((one, index) => pay(one, index % 2 ? 'silent' : 'paid')));
      for (const from = performance.now(); (await openCharges()) === 0 && performance.now() - from < 5000; );
      // The kill comes at any moment of what such a round takes.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * typicalMs));
      await server.stop();
      await requests;
      kills += 1;
      stopped += await openCharges();
      server = await startServer(database.application, env);
      await settle();
      const again = performance.now();
      await Promise.all(companies.map((one) => pay(one)));
      typicalMs = Math.max(typicalMs, (performance.now() - again) * 1.2);
    }
    await settle();
    return {
      kills,
      stopped,
      chargedTwice: await count(`select count(*)::int as n from (select 1 from charges c
        join sandbox_charges s on s.charge_key = c.charge_key and s.state = 'paid'
        group by c.company_id having count(*) > 1) as twice`),
      differences: await count(`select count(*)::int as n from companies c
        where exists (select from charges x where x.company_id = c.company_id) and not (
          c.expiration_date = '2100-12-31' and c.provider_count = 2
          and (select count(*) from license_purchases p where p.company_id = c.company_id
            and p.invoice_number is not null and p.ends_on = c.expiration_date) = 1
          and (select count(*) from charges x join sandbox_charges s on s.charge_key = x.charge_key and s.state = 'paid'
            where x.company_id = c.company_id and x.state = 'paid') = 1)`),
      open: await openCharges(),
      gaps: await count(
        `select (max(invoice_number) - count(*))::int as n from license_purchases where invoice_number is not null`,
      ),
    };
  } finally {
    await server.stop();
    await owner.end();
  }
}
