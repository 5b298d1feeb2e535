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

/** The part of the SignalR client that is used here. */
export type Connection = Pick<
  HubConnection,
  'start' | 'stop' | 'invoke' | 'on' | 'onreconnecting' | 'onreconnected' | 'onclose'
>;

interface Parts {
  connect: (token: () => Promise<string>) => Promise<Connection>;
  /** The access token, or undefined when nobody is signed in. */
  token: (rejected?: string) => Promise<string | undefined>;
  isSignedIn: () => boolean;
  /** True while a room's media lives: that never leaves the page because of the hub. */
  inVisit: () => boolean;
}

/** Failed first starts in a row before the page goes to /offline. */
const startsBeforeOffline = 3;

/** The live connection of one tab: connects, tells its state, and comes back by itself (STATE-8). */
export function createHub(parts: Parts) {
  let state: HubState = { status: 'disconnected' };
  let connection: Connection | undefined;
  /** Counts starts and stops; work of an earlier one ends when it sees a newer one. */
  let turn = 0;
  let gaveUp = false;
  let unstable = 0;
  /** A start was asked for while the connection of the person before was ending. */
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
    // A connection that has been closed can be started again; a new one is needed only once.
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

  /** The server closed for good, e.g. because the sign-in ended: comes back when the person is still signed in. */
  async function closed(error: Error | undefined): Promise<void> {
    if (state.status === 'disconnecting' || state.status === 'disconnected') return set('disconnected');
    const mine = ++turn;
    set('disconnected');
    await pause(retryDelay(0));
    // A token of a sign-in that has ended may still look fresh: asks anew.
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
    /** Connects and keeps trying; does nothing when already at it. */
    start,

    /** Starts again after it gave up. */
    restart(): void {
      if (gaveUp) start();
    },

    /** Ends the connection. A start that is asked for meanwhile follows once it has ended. */
    async stop(): Promise<void> {
      const mine = ++turn;
      gaveUp = false;
      startAfterStop = false;
      if (state.status === 'disconnected') return;
      set('disconnecting');
      await connection?.stop();
      // A later stop finishes what this one began.
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

    /** What the server pushes; returns the way to stop listening. */
    onNotify: (listener: Notify) => listen(notifyListeners, listener),

    /** Sets what happens when the first start has failed three times outside a live room (ERROR-1). */
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
