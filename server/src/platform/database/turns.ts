import { Refusal } from '../refusal.ts';

/** The caller that a transaction or a password hash counts for. Connections are shared fairly among groups, and among a group's members. */
export interface Share {
  /** A company, or a class of callers that belong to none: `company 4`, `unauthenticated`, `server`. */
  readonly group: string;
  /** A person or an address within the group: `U_12`, `203.0.113.7`. */
  readonly member: string;
}

/** Work of the server itself: jobs, heartbeats, the start. */
export const serverShare: Share = { group: 'server', member: 'server' };

export interface TurnLimits {
  /** Turns at the same time. */
  readonly total: number;
  /** Simultaneous turns of one group. */
  readonly perGroup: number;
  /** Groups with a different limit, by name. */
  readonly groups?: Readonly<Record<string, number>>;
  /** Simultaneous turns of one member of a group. */
  readonly perMember: number;
  /** Waiting turns of one member. A further one is refused immediately. */
  readonly maxWaiting: number;
  /** A turn that has not begun after this is refused, ms. */
  readonly timeoutMs: number;
}

interface Waiting {
  start(): void;
}

class Member {
  running = 0;
  readonly waiting: Waiting[] = [];
}

class Group {
  running = 0;
  /** In the order of their next turn: the least recently served first. */
  readonly members = new Map<string, Member>();
}

/**
 * A fair semaphore. Groups are served in rotation, and within a group its members; neither gets more than its limit.
 * A member's own turns are served in order (record 021).
 *
 * The queue of the connection pool is not fair, and its timeout is short, so that a database that is down is noticed. It
 * would also refuse requests that wait while the database is busy.
 */
export class Turns {
  readonly #limits: TurnLimits;
  readonly #groups = new Map<string, Group>();
  #running = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /**
   * Runs `work` in a turn of `share`.
   *
   * @throws Refusal `unavailable` when the member has too many waiting turns, or its turn does not come in time
   */
  async run<T>(share: Share, work: () => Promise<T>): Promise<T> {
    const group = this.#groups.get(share.group) ?? new Group();
    const member = group.members.get(share.member) ?? new Member();
    this.#groups.set(share.group, group);
    group.members.set(share.member, member);
    if (this.#mayStart(share.group, group, member)) this.#start(share, group, member);
    else await this.#wait(share, group, member);
    try {
      return await work();
    } finally {
      this.#running -= 1;
      group.running -= 1;
      member.running -= 1;
      this.#forgetIdle(share, group, member);
      this.#startNext();
    }
  }

  /** The number of turns that have not begun. */
  get waiting(): number {
    const members = [...this.#groups.values()].flatMap((group) => [...group.members.values()]);
    return members.reduce((sum, member) => sum + member.waiting.length, 0);
  }

  #mayStart(name: string, group: Group, member: Member): boolean {
    const { total, perMember } = this.#limits;
    return this.#running < total && group.running < this.#limitOf(name) && member.running < perMember;
  }

  #limitOf(name: string): number {
    return this.#limits.groups?.[name] ?? this.#limits.perGroup;
  }

  /** Counts the turn, and moves its group and member to the end of their queues. */
  #start(share: Share, group: Group, member: Member): void {
    this.#running += 1;
    group.running += 1;
    member.running += 1;
    this.#groups.delete(share.group);
    this.#groups.set(share.group, group);
    group.members.delete(share.member);
    group.members.set(share.member, member);
  }

  #wait(share: Share, group: Group, member: Member): Promise<void> {
    return new Promise((resolve, reject) => {
      const refuse = () => reject(new Refusal('unavailable', { retryAfter: 2 }));
      if (member.waiting.length >= this.#limits.maxWaiting) return refuse();
      const timer = setTimeout(() => {
        member.waiting.splice(member.waiting.indexOf(entry), 1);
        this.#forgetIdle(share, group, member);
        refuse();
      }, this.#limits.timeoutMs);
      const entry: Waiting = {
        start: () => {
          clearTimeout(timer);
          this.#start(share, group, member);
          resolve();
        },
      };
      member.waiting.push(entry);
    });
  }

  #startNext(): void {
    for (const [name, group] of this.#groups) {
      if (group.running >= this.#limitOf(name)) continue;
      for (const member of group.members.values()) {
        if (member.waiting.length === 0 || !this.#mayStart(name, group, member)) continue;
        member.waiting.shift()?.start();
        return;
      }
    }
  }

  #forgetIdle(share: Share, group: Group, member: Member): void {
    if (member.running > 0 || member.waiting.length > 0) return;
    group.members.delete(share.member);
    if (group.members.size === 0) this.#groups.delete(share.group);
  }
}
