import {
  factorError,
  type MessagingClient,
  type MessagingServer,
  signedOutError,
} from '@roomside/contract/room/messages.ts';
import { isIdleHeld } from '../api/idle.ts';
import { reachServer } from '../api/reach-server.ts';
import { currentSignIn, freshToken } from '../api/sign-in.ts';
import { toast } from '../ui/toast.ts';
import { connectHub, type DroppableConnection, retryDelay } from './connect.ts';
import { texts } from './texts.ts';

export type HubStatus = 'disconnected' | 'connecting' | 'connected' | 'reconnecting' | 'disconnecting';
export interface HubState {
  status: HubStatus;
}

type Notify = MessagingClient['Notify'];

/** The part of the SignalR client that is used. */
export type Connection = Pick<
  DroppableConnection,
  'start' | 'stop' | 'invoke' | 'on' | 'onreconnecting' | 'onreconnected' | 'onclose' | 'drop'
>;

interface Parts {
  connect: (token: () => Promise<string>) => Promise<Connection>;
  /** The access token, or undefined without a sign-in. */
  token: (rejected?: string) => Promise<string | undefined>;
  isSignedIn: () => boolean;
  /** Whether the server responds to a request outside the hub's connection. Takes a second at most. */
  isReachable: () => Promise<boolean>;
  /** True during a visit: then a failing hub does not leave the page. */
  inVisit: () => boolean;
}

/** Time for the response to a ping, ms. */
const pingTimeoutMs = 2_000;

/** Time between two requests that find out whether the server can be reached, ms. */
const lookMs = 500;
/** Time for its response, ms. */
const reachMs = 1_000;
/** A ping that was sent before such a request has its response this long after the request's, ms. */
const laterMs = 400;

/** Failed first starts before the page goes to /offline. */
const startsBeforeOffline = 3;

/**
 * The hub connection of one tab: connects, reports its state, and reconnects (STATE-8). Its methods are bound, so that components can
 * subscribe with them.
 */
export class HubClient {
  readonly #parts: Parts;
  #state: HubState = { status: 'disconnected' };
  #connection: Connection | undefined;
  /** A new object for each start and stop; work of an earlier one ends when it is outdated. */
  #run: object = {};
  #gaveUp = false;
  #unstableToast = 0;
  #isChecking = false;
  /** How often the connection was replaced. A second time would end the new one while it is being opened. */
  #drops = 0;
  /** A start was requested while the previous person's connection was stopping. */
  #startAfterStop = false;
  #offline: () => void = () => undefined;
  readonly #stateListeners = new Set<() => void>();
  readonly #notifyListeners = new Set<Notify>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  readonly getState = (): HubState => this.#state;

  readonly onState = (listener: () => void): (() => void) => listen(this.#stateListeners, listener);

  /** Listens to pushed messages; the returned function stops. */
  readonly onNotify = (listener: Notify): (() => void) => listen(this.#notifyListeners, listener);

  /** Sets the callback for three failed first starts outside of a visit (ERROR-1). */
  onOffline(callback: () => void): void {
    this.#offline = callback;
  }

  /** Connects and keeps trying; does nothing while that is in progress. */
  start(): void {
    this.#startAfterStop = this.#state.status === 'disconnecting';
    if (this.#state.status !== 'disconnected') return;
    this.#gaveUp = false;
    void this.#connect(this.#newRun());
  }

  /** Starts again after it gave up. */
  restart(): void {
    if (this.#gaveUp) this.start();
  }

  /** Stops the connection. A start that is requested meanwhile follows. */
  async stop(): Promise<void> {
    const run = this.#newRun();
    this.#gaveUp = false;
    this.#startAfterStop = false;
    if (this.#state.status === 'disconnected') return;
    this.#set('disconnecting');
    await this.#connection?.stop();
    // A later stop completes this one.
    if (this.#run !== run) return;
    this.#set('disconnected');
    if (this.#startAfterStop) this.start();
  }

  /** Calls a method of the server; rejects while not connected. */
  async invoke<M extends keyof MessagingServer>(
    method: M,
    ...args: Parameters<MessagingServer[M]>
  ): Promise<ReturnType<MessagingServer[M]>> {
    if (!this.#connection) throw new Error('The hub is not connected.');
    return this.#connection.invoke<ReturnType<MessagingServer[M]>>(method, ...args);
  }

  /**
   * Finds out whether the connection still works, and replaces one that does not. A device that changes its network leaves a connection behind
   * that looks open, and that the client would give up after 30 s (CONST-8).
   */
  async check(): Promise<void> {
    const connection = this.#connection;
    if (!connection || this.#state.status !== 'connected' || this.#isChecking) return;
    this.#isChecking = true;
    const drops = this.#drops;
    // A refusal is a response, too.
    const response = connection.invoke('Ping').then(isThere, isThere);
    const isAnswered = await Promise.race([response, pause(pingTimeoutMs).then(() => false)]);
    this.#isChecking = false;
    if (!isAnswered && this.#state.status === 'connected') this.#drop(connection, drops);
  }

  /**
   * Replaces the connection when the server can be reached, but not over it: the device has another network. Looks until the connection
   * responds or fails, or `isWanted` returns false; does nothing to it while there is no network. Returns whether it was replaced.
   */
  async leaveFormerNetwork(isWanted: () => boolean): Promise<boolean> {
    const connection = this.#connection;
    if (!connection || this.#state.status !== 'connected') return false;
    const drops = this.#drops;
    let hasResponse = false;
    const respond = () => {
      hasResponse = true;
    };
    connection.invoke('Ping').then(respond, respond);
    const isStuck = () => isWanted() && !hasResponse && this.#drops === drops && this.#state.status === 'connected';
    while (isStuck()) {
      if (await this.#parts.isReachable()) {
        await pause(laterMs);
        return isStuck() && this.#drop(connection, drops);
      }
      await pause(lookMs);
    }
    return false;
  }

  /** Replaces the connection unless that was done since there were `drops`. Returns whether it did. */
  #drop(connection: Connection, drops: number): boolean {
    if (this.#drops !== drops) return false;
    this.#drops += 1;
    return connection.drop();
  }

  #newRun(): object {
    this.#run = {};
    return this.#run;
  }

  #set(status: HubStatus): void {
    if (this.#state.status === status) return;
    this.#state = { status };
    for (const listener of [...this.#stateListeners]) listener();
  }

  async #connect(run: object): Promise<void> {
    this.#set('connecting');
    for (let failures = 0; this.#run === run; ) {
      try {
        // Its code is loaded first, which may fail like the start.
        const connection = await this.#build(run);
        // Stopped since then, be it in the same moment.
        if (this.#run !== run) return;
        await connection?.start();
        if (this.#run === run) this.#set('connected');
        return;
      } catch {
        if (this.#run !== run) return;
        if (!this.#parts.isSignedIn()) return this.#set('disconnected');
        failures += 1;
        toast.error(texts.cannotConnect, { across: 'all' });
        if (failures >= startsBeforeOffline && !this.#parts.inVisit()) return this.#giveUp();
        await pause(retryDelay(failures - 1));
      }
    }
  }

  #giveUp(): void {
    this.#gaveUp = true;
    this.#set('disconnected');
    this.#offline();
  }

  async #build(run: object): Promise<Connection | undefined> {
    // A closed connection can be started again, so one is created only once.
    if (this.#connection) return this.#connection;
    const connection = await this.#parts.connect(async () => {
      const token = await this.#parts.token();
      // Signed out while it connects: a request without a token would only be refused.
      if (token === undefined) throw new Error('Not signed in.');
      return token;
    });
    if (this.#run !== run) return undefined;
    this.#connection = connection;
    connection.on('Notify', (...args: Parameters<Notify>) => {
      for (const listener of [...this.#notifyListeners]) listener(...args);
    });
    connection.onreconnecting(() => {
      this.#set('reconnecting');
      this.#unstableToast = toast.warning(texts.unstable, { across: 'all' });
    });
    connection.onreconnected(() => {
      this.#set('connected');
      toast.dismiss(this.#unstableToast);
      toast.success(texts.back, { across: 'all' });
    });
    connection.onclose((error) => void this.#closed(error));
    return connection;
  }

  /** The server closed the connection for good, e.g. for an ended sign-in: restarts if the person is still signed in. */
  async #closed(error: Error | undefined): Promise<void> {
    const { status } = this.#state;
    if (status === 'disconnecting' || status === 'disconnected') return this.#set('disconnected');
    const run = this.#newRun();
    this.#set('disconnected');
    // The person sets up a second factor first; their pages start it then.
    if (error?.message.endsWith(`: ${factorError}`)) return;
    await pause(retryDelay(0));
    // The token of an ended sign-in may not have expired, so it is renewed.
    const signedOut = error?.message.endsWith(`: ${signedOutError}`) ?? false;
    const held = await this.#parts.token().catch(() => undefined);
    const token = signedOut ? await this.#parts.token(held).catch(() => undefined) : held;
    if (this.#run === run && token && this.#parts.isSignedIn()) await this.#connect(run);
  }
}

function listen<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const isThere = () => true;

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

/** The tab's one hub. */
export const hub = new HubClient({
  connect: connectHub,
  token: freshToken,
  isSignedIn: () => currentSignIn().status === 'in',
  isReachable: () => reachServer(reachMs),
  inVisit: isIdleHeld,
});
