import {
  chatText,
  dataMessage,
  type MessagingClient,
  type MessagingServer,
  messageType,
  signedOutError,
} from '@roomside/contract/room/messages.ts';
import { uid as uidSchema } from '@roomside/contract/shape.ts';
import { type Context as HubContext, HubError, type HubServer, hub } from '@roomside/signalr';
import { sql } from 'kysely';
import { verifyAccessToken } from '../../platform/access-token.ts';
import { isoNow } from '../../platform/clock.ts';
import type { Context, Push } from '../../platform/context.ts';
import { toRefusal } from '../../platform/http/problem.ts';
import { clientAddress, trustedHops } from '../../platform/http/proxies.ts';
import { codeLives } from '../../platform/session.ts';
import type { RoomNews, RoomService } from './room-service.ts';
import { systemSender } from './seats.ts';

/** What a hub connection knows of its person; the database has the last word, once a second and at every Subscribe. */
export interface HubClaims {
  signInId: number;
  /** As the database had it when the connection was made. */
  role: 'A' | 'D' | 'U' | 'P' | 'Super';
  companyId: number | undefined;
  /** User id or patient id. */
  personId: number;
  /** Where the connection came from, for the audit. */
  address: string;
}

export type MessagingContext = HubContext<MessagingClient, HubClaims>;

/** The staff of a company who hear of this doctor's patients (STATE-6): A and U of all, D of his own. */
const staffGroups = (companyId: number, doctorId: number) => [
  `staff:${companyId}:all`,
  `staff:${companyId}:${doctorId}`,
];
export const roomGroup = (uid: string) => `room:${uid}`;
export const peerGroup = (uid: string, peerId: string) => `peer:${uid}:${peerId}`;

/** The hub of the product (HUB-1, HUB-2): who may connect, and one line per method; the room's rules are in RoomService. */
export function makeMessagingHub(getContext: () => Context, rooms: () => RoomService) {
  return hub<MessagingServer, MessagingClient, HubClaims>({
    path: '/messaging',
    authenticate: async ({ token, request }) => {
      const context = getContext();
      const known = token ? await verifyAccessToken(context, token) : null;
      if (!known) return null;
      const { signInId, caller: role, claims } = known;
      const personId = Number(claims.sub);
      return {
        userId: `${role}_${personId}`,
        claims: {
          signInId,
          role,
          companyId: claims.company,
          personId,
          address: clientAddress(request, trustedHops(context.settings)),
        },
      };
    },
    // The tab: one that has to connect anew takes the place of what is left of it.
    identity: ({ query }) => query.get('tab') ?? undefined,
    // Less than what common proxies wait for an answer (nginx: 60 s).
    timings: { pollMs: 50_000 },
    // Signalling carries whole session descriptions.
    limits: { perMethod: { SendData: 65_536 } },
    input: { Subscribe: [uidSchema], Unsubscribe: [uidSchema], SendData: [dataMessage], SendText: [chatText] } as never,
    methods: {
      Subscribe: (ctx, session) => inWords(() => rooms().subscribe(ctx, session)),
      Unsubscribe: (ctx, session) => inWords(() => rooms().unsubscribe(ctx, session)),
      SendData: (ctx, data) => inWords(() => rooms().sendData(ctx, data)),
      SendText: (ctx, data) => inWords(() => rooms().sendText(ctx, data)),
    },
    onConnected: async ({ claims, groups }) => {
      const { role, companyId, personId } = claims;
      if (companyId === undefined || role === 'P' || role === 'Super') return;
      await groups.add(`staff:${companyId}`);
      await groups.add(role === 'D' ? `staff:${companyId}:${personId}` : `staff:${companyId}:all`);
    },
    onTold: (news) => rooms().heard(news as RoomNews),
    onDisconnected: (ctx, reason) => inWords(() => rooms().disconnected(ctx, reason)),
  });
}

/** Expected refusals reach the client by their code; anything else stays here. */
async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HubError) throw error;
    const { refusal, unexpected } = toRefusal(error);
    if (!unexpected) throw new HubError(refusal.code);
    // Only the code goes on: a database's error quotes rows, which may hold what a patient wrote.
    throw new Error((error as { code?: string }).code ?? (error as Error).name);
  }
}

export type MessagingHub = ReturnType<typeof makeMessagingHub>;

/** The rest of the server's way to the hub. */
export function makePush(hubs: HubServer, messaging: MessagingHub): Push {
  const control = hubs.of(messaging);
  return {
    staffOf: (companyId, doctorId, message, sender) => {
      control.groups(staffGroups(companyId, doctorId)).Notify(message, sender);
    },
    schedule: (companyId) => {
      control.group(`staff:${companyId}`).Notify({ type: messageType.scheduleChanged, session: '' }, systemSender);
    },
    room: (uid, message, sender) => {
      control.group(roomGroup(uid)).Notify(message, sender);
    },
  };
}

/** Cuts off connections whose sign-in has ended or whose role has changed: within a second (decisions, 2). */
export async function cutFallenSignIns(context: Context, hubs: HubServer, messaging: MessagingHub): Promise<void> {
  const control = hubs.of(messaging);
  const connections = control.connections();
  if (connections.length === 0) return;
  const roles = new Map(
    connections.map(({ claims }) => [claims.signInId, claims.role === 'Super' ? 'A' : claims.role]),
  );
  const fallen = await context.db.open({ kind: 'door' }, async (tx) => {
    const { rows } = await sql<{ id: number }>`select fallen_sign_ins as id
      from fallen_sign_ins(${[...roles.keys()]}, ${[...roles.values()]}, ${isoNow(context.clock)}, ${codeLives})`.execute(
      tx,
    );
    return new Set(rows.map((row) => row.id));
  });
  for (const { connectionId, claims } of connections) {
    if (fallen.has(claims.signInId)) control.close(connectionId, { error: signedOutError, reason: 'auth' });
  }
}
