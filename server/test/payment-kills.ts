import pg from 'pg';
import { buildAppointment, buildCompany, buildUser } from '../src/demo/builders.ts';
import type { Context } from '../src/platform/context.ts';
import { cardToken } from './card-token.ts';
import { startServer } from './server-process.ts';
import { settleCharges } from './settle-charges.ts';

/** What payments became whose server was killed again and again. */
export interface KillResult {
  payments: number;
  kills: number;
  /** Charges by where the kill stopped them. */
  stopped: Record<Stop, number>;
  /** Payments that were answered before the kill. */
  answered: number;
  /** Appointments for which the processor's own book has more than one payment. */
  chargedTwice: number;
  /** Payments in the book of the processor that the ledger does not have, or the other way round. */
  differences: number;
  /** Payments that a page showed as paid and that the ledger does not have. */
  lost: number;
  /** Charges that are still open at the end. */
  open: number;
}

/** `created`: before asking. `asked`: on the way. `charged`: asked, not recorded. `recorded`: before the response. */
type Stop = 'none' | 'created' | 'asked' | 'charged' | 'recorded';

interface Options {
  readonly payments: number;
  /** Simultaneous payments between two kills. */
  readonly perRound: number;
}

/** Where the payments of a round are: the processor's book is `sandbox_charges`. */
const stopOf = `select case
    when c.charge_id is null then 'none'
    when c.state = 'created' then 'created'
    when c.state = 'asked' and s.charge_key is null then 'asked'
    when c.state = 'asked' then 'charged'
    else 'recorded' end as stop, a.appointment_uid as uid
  from appointments a left join charges c on c.appointment_id = a.appointment_id
    left join sandbox_charges s on s.charge_key = c.charge_key
  where a.appointment_uid = any($1)`;

/**
 * Pays for appointments by several simultaneous requests and kills the server (SIGKILL) at a random moment, round after round; the next
 * server ends what was open. Patients whose request was cut off pay again with another card.
 */
export async function runPaymentKills(
  context: Context,
  database: { application: pg.ClientConfig; owner: pg.ClientConfig },
  { payments, perRound }: Options,
): Promise<KillResult> {
  const owner = new pg.Client(database.owner);
  await owner.connect();
  const { companyId } = await buildCompany(context, { paymentProcessor: 'sandbox' });
  const { userId: doctorId } = await buildUser(context, { companyId });
  const stopped: Record<Stop, number> = { none: 0, created: 0, asked: 0, charged: 0, recorded: 0 };
  const answered = new Set<string>();
  let [kills, typicalMs] = [0, 60];
  let server = await startServer(database.application);
  const send = async (path: string, body: unknown, token?: string) => {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    });
    // oxlint-disable-next-line typescript/no-explicit-any -- a test's own requests.
    return { status: response.status, json: (await response.json()) as any };
  };
  const pay = async ({ uid, token }: { uid: string; token: string }) => {
    const body = { token: cardToken('paid'), promoCode: null, amount: '50.00' };
    const { json } = await send(`/api/payments/${uid}`, body, token);
    if (json.state === 'settled') answered.add(uid);
  };
  const openCharges = async () =>
    (
      await owner.query<{ n: number }>(
        "select count(*)::int as n from charges where state in ('created', 'asked', 'action', 'refunding')",
      )
    ).rows[0]?.n ?? -1;
  const settle = () => settleCharges(server, openCharges);
  try {
    for (let done = 0; done < payments; done += perRound) {
      const patients = await Promise.all(
        Array.from({ length: Math.min(perRound, payments - done) }, async (_, index) => {
          const startDate = new Date(Date.UTC(2100, 0, 1) + (done + index) * 3_600_000).toISOString();
          const built = await buildAppointment(context, { companyId, doctorId, startDate, fee: '50' });
          const user = { email: built.accessCode };
          const { json } = await send('/api/auth/login', { isPatient: true, user });
          return { uid: built.appointmentUid, token: json.accessToken as string };
        }),
      );
      const uids = patients.map(({ uid }) => uid);
      const from = performance.now();
      const requests = Promise.allSettled(patients.map(pay));
      // The kill comes at any moment of what such a round takes.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * typicalMs));
      await server.stop();
      await requests;
      kills += 1;
      const { rows } = await owner.query<{ stop: Stop; uid: string }>(stopOf, [uids]);
      for (const { stop, uid } of rows) if (!answered.has(uid)) stopped[stop] += 1;
      server = await startServer(database.application);
      await settle();
      const again = performance.now();
      await Promise.all(patients.map(pay));
      typicalMs = Math.max(typicalMs, (performance.now() - again) * 1.2);
      if (from > again) throw new Error('The clock of the test ran backwards.');
    }
    await settle();
    const count = async (text: string) => (await owner.query<{ n: number }>(text)).rows[0]?.n ?? -1;
    const { rows: paid } = await owner.query<{ uid: string }>(
      'select appointment_uid as uid from appointments where collected = 50 and fee = 50',
    );
    const inLedger = new Set(paid.map(({ uid }) => uid));
    return {
      payments,
      kills,
      stopped,
      answered: answered.size,
      chargedTwice: await count(`select count(*)::int as n from (select 1 from charges c
        join sandbox_charges s on s.charge_key = c.charge_key and s.state = 'paid'
        group by c.appointment_id having count(*) > 1) as twice`),
      differences: await count(`select count(*)::int as n from appointments a where a.collected <>
        coalesce((select sum(s.amount) from charges c join sandbox_charges s on s.charge_key = c.charge_key
          and s.state = 'paid' where c.appointment_id = a.appointment_id), 0)`),
      lost: [...answered].filter((uid) => !inLedger.has(uid)).length,
      open: await openCharges(),
    };
  } finally {
    await server.stop();
    await owner.end();
  }
}
