import { may } from '@roomside/contract/permissions.ts';
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
import type { Context, Push, SignInsOf } from '../../platform/context.ts';
import { onBehalfOf } from '../../platform/database/scope.ts';
import { toRefusal } from '../../platform/http/problem.ts';
import { clientAddress, trustedHops } from '../../platform/http/proxies.ts';
import { isRecorded } from '../../platform/security-log.ts';
import {
  type HubClaims,
  type MessagingContext,
  type MessagingControl,
  roomGroup,
  withoutGuestsGroup,
} from './hub-types.ts';
import { systemSender } from './memberships.ts';
import type { RoomEvent, RoomService } from './room-service.ts';
import type { SignInWatch } from './sign-in-watch.ts';
import { recordHubRefusal } from './visit-calls.ts';

/** The groups of staff that are notified about this provider's patients (STATE-6): A and U of all, D of their own. */
const staffGroups = (companyId: number, doctorId: number) => [
  `staff:${companyId}:all`,
  `staff:${companyId}:${doctorId}`,
];

/** To all processes: these sign-ins may have ended. */
interface SignInsEvent {
  readonly kind: 'signIns';
  readonly of: SignInsOf;
}

/** The dependencies of the hub's methods, which are created after the hub. */
interface HubParts {
  readonly context: Context;
  readonly rooms: RoomService;
  readonly watch: SignInWatch;
}

/** The hub (HUB-1, HUB-2): authentication and one line per method. The rules of the room are in RoomService. */
export function createMessagingHub(parts: () => HubParts) {
  /**
   * Runs a method. A refusal that may be part of an attack is recorded, but not what a page sends to a room that its person has just left: a
   * room is found by entering it.
   */
  const run = async <T>(ctx: MessagingContext, action: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await toHubErrors(ctx, work);
    } catch (error) {
      const isKnown = error instanceof HubError && (error.message !== 'not-found' || action === 'Subscribe');
      if (isKnown && isRecorded(error.message, 'signed-in'))
        recordHubRefusal(parts().context, ctx, action, error.message);
      throw error;
    }
  };
  return hub<MessagingServer, MessagingClient, HubClaims>({
    path: '/messaging',
    authenticate: async ({ token, request }) => {
      const { context } = parts();
      const address = clientAddress(request, trustedHops(context.settings));
      const known = token ? await verifyAccessToken(context, token) : 'expired';
      if (known === 'forged')
        context.security.record({
          action: 'connect',
          path: '/messaging',
          reason: 'not-signed-in',
          address,
          requestId: '',
        });
      if (typeof known === 'string') return null;
      const { signInId, caller: role, claims } = known;
      const personId = Number(claims.sub);
      return {
        userId: `${role}_${personId}`,
        claims: {
          signInId,
          role,
          companyId: claims.company,
          personId,
          address,
        },
      };
    },
    // The tab: a new connection of the same tab replaces the old one.
    identity: ({ query }) => query.get('tab') ?? undefined,
    // Shorter than the response timeout of common proxies (nginx: 60 s).
    timings: { pollMs: 50_000 },
    // Signaling carries whole session descriptions, in bursts of a few dozen messages.
    limits: { perMethod: { SendData: 65_536 }, callsPerSecond: 100 },
    input: {
      Subscribe: [uidSchema],
      Unsubscribe: [uidSchema],
      SendData: [dataMessage],
      SendText: [chatText],
      Ping: [],
    },
    methods: {
      Subscribe: (ctx, session) => run(ctx, 'Subscribe', () => parts().rooms.subscribe(ctx, session)),
      Unsubscribe: (ctx, session) => run(ctx, 'Unsubscribe', () => parts().rooms.unsubscribe(ctx, session)),
      SendData: (ctx, data) => run(ctx, 'SendData', () => parts().rooms.sendData(ctx, data)),
      SendText: (ctx, data) => run(ctx, 'SendText', () => parts().rooms.sendText(ctx, data)),
      Ping: () => undefined,
    },
    onConnected: async ({ connectionId, userId, claims, groups, clients }) => {
      const { role, companyId, personId } = claims;
      if (!(await parts().watch.admit(connectionId, userId ?? '', claims))) return;
      // Only staff are notified outside of rooms.
      if (companyId === undefined || !may(role, 'clinic.use')) return;
      await groups.add(`staff:${companyId}`);
      await groups.add(role === 'D' ? `staff:${companyId}:${personId}` : `staff:${companyId}:all`);
      clients.caller.Notify({ type: messageType.joined, session: '' }, systemSender);
    },
    onBroadcast: (value) => {
      const event = value as RoomEvent | SignInsEvent;
      return event.kind === 'signIns' ? parts().watch.closeEnded(event.of) : parts().rooms.onRoomEvent(event);
    },
    onDisconnected: (ctx, reason) => {
      parts().watch.release(ctx.userId ?? '');
      return toHubErrors(ctx, () => parts().rooms.disconnected(ctx, reason));
    },
  });
}

/** Runs a method on behalf of its caller. A refusal becomes a HubError with its code; other errors are not sent to clients. */
async function toHubErrors<T>({ claims }: MessagingContext, work: () => Promise<T>): Promise<T> {
  const { companyId, role, personId } = claims;
  try {
    return await onBehalfOf({ group: `company ${companyId ?? 'none'}`, member: `${role}_${personId}` }, work);
  } catch (error) {
    if (error instanceof HubError) throw error;
    const { refusal, unexpected } = toRefusal(error);
    if (!unexpected) throw new HubError(refusal.code);
    // Only the code is passed on: a database error quotes rows, which may contain a patient's text.
    throw new Error((error as { code?: string }).code ?? (error as Error).name);
  }
}

/** How the rest of the server sends messages by the hub. */
export function createPush(control: MessagingControl): Push {
  const schedule = (companyId: number) =>
    control.group(`staff:${companyId}`).Notify({ type: messageType.scheduleChanged, session: '' }, systemSender);
  return {
    staffOf: (companyId, doctorId, message, sender) => {
      control.groups(staffGroups(companyId, doctorId)).Notify(message, sender);
    },
    schedule: (companyId) => {
      schedule(companyId);
    },
    company: (companyId) => {
      // The first one is also read by pages of an older release.
      schedule(companyId);
      control.group(`staff:${companyId}`).Notify({ type: messageType.companyChanged, session: '' }, systemSender);
    },
    signIns: (of) => {
      const event: SignInsEvent = { kind: 'signIns', of };
      control.broadcast(event);
    },
    room: (uid, message, sender) => {
      control.group(roomGroup(uid)).Notify(message, sender);
    },
    roomWithoutGuests: (uid, message, sender) => {
      control.group(withoutGuestsGroup(uid)).Notify(message, sender);
    },
  };
}
