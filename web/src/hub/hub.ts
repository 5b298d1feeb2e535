import type { HubConnection } from '@microsoft/signalr';
import { type MessagingClient, type MessagingServer, signedOutError } from '@roomside/contract/room/messages.ts';
import { isIdleHeld } from '../api/idle.ts';
import { currentSignIn, freshToken } from '../api/sign-in.ts';
import { toast } from '../ui/toast.ts';
import { connectHub, retryDelay } from './connect.ts';
import { texts } from './texts.ts';

export type HubStatus = 'disconnected' | 'connecting' | 'connected' | 'reconnecting' | 'disconnecting';
export interface HubState {
  status: HubStatus;
}

type Notify = MessagingClient['Notify'];

/** The part of the SignalR client that is used. */
export type Connection = Pick<
  HubConnection,
  'start' | 'stop' | 'invoke' | 'on' | 'onreconnecting' | 'onreconnected' | 'onclose'
>;

interface Parts {
  connect: (token: () => Promise<string>) => Promise<Connection>;
  /** The access token, or undefined without a sign-in. */
  token: (rejected?: string) => Promise<string | undefined>;
  isSignedIn: () => boolean;
  /** True during a visit: then a failing hub does not leave the page. */
  inVisit: () => boolean;
}

/** Failed first starts before the page goes to /offline. */
const startsBeforeOffline = 3;

/** The hub connection of one tab: connects, reports its state, and reconnects (STATE-8). */
export function createHub(parts: Parts) {
  let state: HubState = { status: 'disconnected' };
  let connection: Connection | undefined;
  /** Counts starts and stops; work of an earlier one ends when it is outdated. */
  let turn = 0;
  let gaveUp = false;
  let unstable = 0;
  /** A start was requested while the previous person's connection was stopping. */
  let startAfterStop = false;
  let offline: () => void = () => undefined;
  const stateListeners = new Set<() => void>();
  const notifyListeners = new Set<Notify>();

  function set(status: HubStatus): void {
    if (state.status === status) return;
    state = { status };
    for (const listener of [...stateListeners]) listener();
  }

  async function run(mine: number): Promise<void> {
    set('connecting');
    const made = await build(mine);
    for (let failures = 0; made && turn === mine; ) {
      try {
        await made.start();
        if (turn !== mine) return;
        return set('connected');
      } catch {
        if (turn !== mine) return;
        if (!parts.isSignedIn()) return set('disconnected');
        failures += 1;
        toast.error(texts.cannotConnect, { across: 'all' });
        if (failures >= startsBeforeOffline && !parts.inVisit()) {
          gaveUp = true;
          set('disconnected');
          return offline();
        }
        await pause(retryDelay(failures - 1));
      }
    }
  }

  async function build(mine: number): Promise<Connection | undefined> {
    // A closed connection can be started again, so one is created only once.
    if (connection) return connection;
    const made = await parts.connect(async () => (await parts.token()) ?? '');
    if (turn !== mine) return undefined;
    connection = made;
    made.on('Notify', (...args: Parameters<Notify>) => {
      for (const listener of [...notifyListeners]) listener(...args);
    });
    made.onreconnecting(() => {
      set('reconnecting');
      unstable = toast.warning(texts.unstable, { across: 'all' });
    });
    made.onreconnected(() => {
      set('connected');
      toast.dismiss(unstable);
      toast.success(texts.back, { across: 'all' });
    });
    made.onclose((error) => void closed(error));
    return made;
  }

  /** The server closed the connection for good, e.g. for an ended sign-in: restarts if the person is still signed in. */
  async function closed(error: Error | undefined): Promise<void> {
    if (state.status === 'disconnecting' || state.status === 'disconnected') return set('disconnected');
    const mine = ++turn;
    set('disconnected');
    await pause(retryDelay(0));
    // The token of an ended sign-in may not have expired, so it is renewed.
    const signedOut = error?.message.endsWith(`: ${signedOutError}`) ?? false;
    const held = await parts.token().catch(() => undefined);
    const token = signedOut ? await parts.token(held).catch(() => undefined) : held;
    if (turn === mine && token && parts.isSignedIn()) await run(mine);
  }

  function start(): void {
    startAfterStop = state.status === 'disconnecting';
    if (state.status !== 'disconnected') return;
    gaveUp = false;
    turn += 1;
    void run(turn);
  }

  return {
    /** Connects and keeps trying; does nothing while that is in progress. */
    start,

    /** Starts again after it gave up. */
    restart(): void {
      if (gaveUp) start();
    },

    /** Stops the connection. A start that is requested meanwhile follows. */
    async stop(): Promise<void> {
      const mine = ++turn;
      gaveUp = false;
      startAfterStop = false;
      if (state.status === 'disconnected') return;
      set('disconnecting');
      await connection?.stop();
      // A later stop completes this one.
      if (turn !== mine) return;
      set('disconnected');
      if (startAfterStop) start();
    },

    /** Calls a method of the server; rejects while not connected. */
    async invoke<M extends keyof MessagingServer>(
      method: M,
      ...args: Parameters<MessagingServer[M]>
    ): Promise<ReturnType<MessagingServer[M]>> {
      if (!connection) throw new Error('The hub is not connected.');
      return connection.invoke<ReturnType<MessagingServer[M]>>(method, ...args);
    },

    /** Listens to pushed messages; the returned function stops. */
    onNotify: (listener: Notify) => listen(notifyListeners, listener),

    /** Sets the callback for three failed first starts outside of a visit (ERROR-1). */
    onOffline(callback: () => void): void {
      offline = callback;
    },

    getState: () => state,
    onState: (listener: () => void) => listen(stateListeners, listener),
  };
}

function listen<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

/** The tab's one hub. */
export const hub = createHub({
  connect: connectHub,
  token: freshToken,
  isSignedIn: () => currentSignIn().status === 'in',
  inVisit: isIdleHeld,
});
