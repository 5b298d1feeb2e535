import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { buildAppointment, buildCompany, buildPatient, buildUser } from '../src/demo/builders.ts';
import type { Context } from '../src/platform/context.ts';
import { startServer } from './server-process.ts';

/**
 * Sends many simultaneous requests for the same slot to two instances over one database: staff create, move and reactivate
 * appointments, patients book by link. One must succeed, and all others must return the free slots.
 */
export interface RivalsResult {
  rounds: number;
  rivals: number;
  /** Rounds that did not have exactly one winner. */
  wrongRounds: string[];
  /** Responses that are neither a success nor a refusal with free slots. */
  oddAnswers: string[];
  /** Overlapping appointments at the end. */
  overlaps: number;
  wins: Record<string, number>;
  p50: number;
  p99: number;
}

/** A response; `json` is the call's result or a problem. */
interface Reply {
  status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test's own requests, of many calls.
  json: any;
}

interface Answer {
  way: string;
  won: boolean;
  odd: string | null;
}

const password = 'rivals-password-2026';

export async function runRivals(
  context: Context,
  application: pg.ClientConfig,
  owner: pg.ClientConfig,
  { rounds, rivals }: { rounds: number; rivals: number },
): Promise<RivalsResult> {
  const servers = await Promise.all([startServer(application), startServer(application)]);
  try {
    const arena = await prepare(
      context,
      servers.map(({ url }) => url),
      rivals,
    );
    const starts = await arena.offered(rounds);
    const times: number[] = [];
    const wins: Record<string, number> = {};
    const wrongRounds: string[] = [];
    const oddAnswers: string[] = [];
    for (const [round, start] of starts.entries()) {
      const answers = await Promise.all(
        (await arena.rivalsFor(start, round)).map(async (rival) => {
          const from = performance.now();
          const answer = await rival();
          times.push(performance.now() - from);
          return answer;
        }),
      );
      const winners = answers.filter(({ won }) => won);
      for (const { way } of winners) wins[way] = (wins[way] ?? 0) + 1;
      if (winners.length !== 1)
        wrongRounds.push(`round ${round}: ${winners.map(({ way }) => way).join(', ') || 'none'}`);
      oddAnswers.push(...answers.flatMap(({ way, odd }) => (odd === null ? [] : [`${way}: ${odd}`])));
    }
    times.sort((a, b) => a - b);
    const at = (share: number) => Math.round(times[Math.floor(times.length * share)] ?? 0);
    const overlaps = await countOverlaps(owner);
    return { rounds: starts.length, rivals, wrongRounds, oddAnswers, overlaps, wins, p50: at(0.5), p99: at(0.99) };
  } finally {
    await Promise.all(servers.map(({ stop }) => stop()));
  }
}

/** Creates a company, its users, and enough appointments to move and to reactivate in every round. */
async function prepare(context: Context, urls: readonly string[], rivals: number) {
  const { companyId, companyUid } = await buildCompany(context, {
    genericSchedule: true,
    timeZone: 'America/New_York',
  });
  const doctorId = (await buildUser(context, { companyId, role: 'D', firstName: 'Wanted' })).userId;
  const otherId = (await buildUser(context, { companyId, role: 'D', firstName: 'Other' })).userId;
  const admin = await buildUser(context, { companyId, role: 'A', password });
  const { patientId } = await buildPatient(context, { companyId });
  let turn = 0;
  const send = async (method: string, pathName: string, body?: unknown, token?: string, address = '203.0.113.1') => {
    const response = await fetch(`${urls[((turn += 1)) % urls.length]}${pathName}`, {
      method,
      headers: {
        'x-forwarded-for': address,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, json: text ? JSON.parse(text) : null };
  };
  const signedIn = await send('POST', '/api/auth/login', { isPatient: false, user: { email: admin.email, password } });
  const token = signedIn.json.accessToken as string;

  const day = (shift: number) => new Date(context.clock.now() + shift * 86_400_000).toISOString().slice(0, 10);
  const quarter = Math.ceil(rivals / 4);
  /** Creates appointments of the other provider at different times. One that is refused is used again. */
  const createSpare = (count: number, cancelled: boolean) =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        buildAppointment(context, {
          companyId,
          patientId,
          doctorId: otherId,
          cancelled,
          startDate: new Date(Date.UTC(2120, 0, 1) + (index + (cancelled ? count : 0)) * 3_600_000).toISOString(),
        }),
      ),
    );
  const movable = await createSpare(quarter, false);
  const inactive = await createSpare(quarter, true);

  const refused = (way: string, { status, json }: Reply): Answer => {
    const hasFreeSlots = status === 409 && json.code === 'slot-taken' && json.current?.free?.length > 0;
    return { way, won: false, odd: hasFreeSlots ? null : `${status} ${JSON.stringify(json).slice(0, 200)}` };
  };
  const outcome = (way: string, answer: Reply): Answer =>
    answer.status === 200 ? { way, won: true, odd: null } : refused(way, answer);
  const appointment = (appointmentId: number, startDate: string) => ({
    appointmentId,
    version: 0,
    startDate,
    doctorId,
    patientId,
    cancelled: false,
    cancellationNotes: '',
    externalId: '',
    welcomeMessage: '',
  });

  /** Replaces an appointment that was moved or reactivated, for the next round. */
  async function refill(list: { appointmentId: number }[], index: number, cancelled: boolean) {
    const startDate = new Date(Date.UTC(2130, 0, 1) + (turn += 1) * 3_600_000).toISOString();
    list[index] = await buildAppointment(context, { companyId, patientId, doctorId: otherId, cancelled, startDate });
  }

  const ways = {
    create: async (_: number, start: string) =>
      outcome('create', await send('POST', '/api/appointments', appointment(0, start), token)),
    move: async (index: number, start: string) => {
      const { appointmentId } = movable[index] ?? { appointmentId: 0 };
      const body = { startDate: start, doctorId, version: 0 };
      const answer = outcome('move', await send('POST', `/api/appointments/${appointmentId}/move`, body, token));
      if (answer.won) await refill(movable, index, false);
      return answer;
    },
    reactivate: async (index: number, start: string) => {
      const { appointmentId } = inactive[index] ?? { appointmentId: 0 };
      const answer = outcome(
        'reactivate',
        await send('POST', '/api/appointments', appointment(appointmentId, start), token),
      );
      if (answer.won) await refill(inactive, index, true);
      return answer;
    },
    link: async (_: number, start: string): Promise<Answer> => {
      const held = await hold(start);
      return held.status === 200 ? book(held.json.holdUid) : refused('link', held);
    },
  };

  /** An address in a network that no request has used yet: limits count by network. */
  const newAddress = () => `2001:db8:${turn.toString(16)}::1`;
  /** The two steps of booking by link, from a new address and browser. */
  function hold(startDate: string): Promise<Reply> {
    const body = { holder: randomBytes(16).toString('hex'), doctorId, startDate };
    return send('POST', `/api/booking/${companyUid}/hold`, body, undefined, newAddress());
  }
  async function book(holdUid: string): Promise<Answer> {
    // Attempts are limited for each contact, too.
    const email = `rival-${turn}@example.test`;
    const body = { holdUid, firstName: 'Pat', lastName: "O'Rival", doB: '1990-01-01', phone: '', email };
    return outcome('link', await send('POST', `/api/booking/${companyUid}/book`, body, undefined, newAddress()));
  }

  return {
    /** Returns `count` different slots that are free. */
    async offered(count: number): Promise<string[]> {
      const all: string[] = [];
      for (const from of [2, 32, 62]) {
        const query = `doctorId=${doctorId}&from=${day(from)}&to=${day(from + 27)}`;
        const { json } = await send('GET', `/api/booking/${companyUid}/slots?${query}`);
        all.push(...json.data.map(({ startDate }: { startDate: string }) => startDate));
      }
      // Every second slot, so that a refusal can return free slots near it.
      return all.filter((_, index) => index % 2 === 0).slice(0, count);
    },
    /**
     * Returns the rivals of a round as functions that start them, each round with another kind first. In every second round
     * a patient holds the slot before, since staff, who override holds, would otherwise always be first.
     */
    async rivalsFor(start: string, round: number): Promise<(() => Promise<Answer>)[]> {
      const kinds = Object.values(ways);
      const all = Array.from({ length: rivals }, (_, index) => {
        const way = kinds[(index + round) % kinds.length] as (index: number, start: string) => Promise<Answer>;
        return () => way(Math.floor(index / kinds.length), start);
      });
      if (round % 2 === 1) return all;
      const held = await hold(start);
      return [() => book(held.json.holdUid), ...all.slice(1)];
    },
  };
}

/** Counts pairs of active, not overbooked appointments of a provider that overlap. */
async function countOverlaps(owner: pg.ClientConfig): Promise<number> {
  const client = new pg.Client(owner);
  await client.connect();
  const { rows } = await client.query<{ n: number }>(`select count(*)::int as n
    from appointments a join appointments b on b.doctor_id = a.doctor_id and b.appointment_id > a.appointment_id
      and a.starts_at < b.ends_at and b.starts_at < a.ends_at
    where not a.cancelled and not b.cancelled and a.archived_at is null and b.archived_at is null
      and not a.overbooked and not b.overbooked and not a.immediate and not b.immediate`);
  await client.end();
  return rows[0]?.n ?? -1;
}
