import {
  chatText,
  dataMessage,
  type MessagingClient,
  type MessagingServer,
  messageType,
} from '@roomside/contract/room/messages.ts';
import { uid as uidSchema } from '@roomside/contract/shape.ts';
import { HubError, hub } from '@roomside/signalr';
import { verifyAccessToken } from '../../platform/access-token.ts';
import type { Context, Push } from '../../platform/context.ts';
import { onBehalfOf } from '../../platform/database/scope.ts';
import { toRefusal } from '../../platform/http/problem.ts';
import { clientAddress, trustedHops } from '../../platform/http/proxies.ts';
import { type HubClaims, type MessagingContext, type MessagingControl, roomGroup } from './hub-types.ts';
import { systemSender } from './memberships.ts';
import type { RoomEvent, RoomService } from './room-service.ts';
import type { SignInWatch } from './sign-in-watch.ts';

/** The staff of a company who hear of this doctor's patients (STATE-6): A and U of all, D of his own. */
const staffGroups = (companyId: number, doctorId: number) => [
  `staff:${companyId}:all`,
  `staff:${companyId}:${doctorId}`,
];

/** What the hub's methods need. It exists only after the hub does. */
interface HubParts {
  readonly context: Context;
  readonly rooms: RoomService;
  readonly watch: SignInWatch;
}

/** The hub of the product (HUB-1, HUB-2): who may connect, and one line per method; the room's rules are in RoomService. */
export function createMessagingHub(parts: () => HubParts) {
  return hub<MessagingServer, MessagingClient, HubClaims>({
    path: '/messaging',
    authenticate: async ({ token, request }) => {
      const { context } = parts();
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
    // Signalling carries whole session descriptions, and comes in bursts of a few dozen.
    limits: { perMethod: { SendData: 65_536 }, callsPerSecond: 100 },
    input: { Subscribe: [uidSchema], Unsubscribe: [uidSchema], SendData: [dataMessage], SendText: [chatText] } as never,
    methods: {
      Subscribe: (ctx, session) => toHubErrors(ctx, () => parts().rooms.subscribe(ctx, session)),
      Unsubscribe: (ctx, session) => toHubErrors(ctx, () => parts().rooms.unsubscribe(ctx, session)),
      SendData: (ctx, data) => toHubErrors(ctx, () => parts().rooms.sendData(ctx, data)),
      SendText: (ctx, data) => toHubErrors(ctx, () => parts().rooms.sendText(ctx, data)),
    },
    onConnected: async ({ connectionId, userId, claims, groups }) => {
      const { role, companyId, personId } = claims;
      if (!(await parts().watch.admit(connectionId, userId ?? '', claims))) return;
      if (companyId === undefined || role === 'P' || role === 'Super') return;
      await groups.add(`staff:${companyId}`);
      await groups.add(role === 'D' ? `staff:${companyId}:${personId}` : `staff:${companyId}:all`);
    },
    onBroadcast: (news) => parts().rooms.heard(news as RoomEvent),
    onDisconnected: (ctx, reason) => {
      parts().watch.release(ctx.userId ?? '');
      return toHubErrors(ctx, () => parts().rooms.disconnected(ctx, reason));
    },
  });
}

/** Runs a method on behalf of its caller. Expected refusals reach the client by their code; anything else stays here. */
async function toHubErrors<T>({ claims }: MessagingContext, work: () => Promise<T>): Promise<T> {
  const { companyId, role, personId } = claims;
  try {
    return await onBehalfOf({ group: `company ${companyId ?? 'none'}`, member: `${role}_${personId}` }, work);
  } catch (error) {
    if (error instanceof HubError) throw error;
    const { refusal, unexpected } = toRefusal(error);
    if (!unexpected) throw new HubError(refusal.code);
    // Only the code goes on: a database's error quotes rows, which may hold what a patient wrote.
    throw new Error((error as { code?: string }).code ?? (error as Error).name);
  }
}

/** The rest of the server's way to the hub. */
export function createPush(control: MessagingControl): Push {
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
