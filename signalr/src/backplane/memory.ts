import type { Backplane, BackplaneLink } from '../types.ts';

/** Joins the servers of one process that are given the same backplane; with a single server it does nothing. */
export function memory(): Backplane {
  const members = new Set<Member>();
  return {
    state: 'up',
    connect(receive) {
      const member: Member = { topics: new Set(), receive };
      members.add(member);
      return link(members, member);
    },
    async close() {
      members.clear();
    },
  };
}

interface Member {
  readonly topics: Set<string>;
  readonly receive: (topic: string, data: Uint8Array) => void;
}

function link(members: Set<Member>, self: Member): BackplaneLink {
  return {
    get alone() {
      return members.size <= 1;
    },
    publish(topic, data) {
      for (const member of members) if (member !== self && member.topics.has(topic)) member.receive(topic, data);
    },
    subscribe(topic) {
      self.topics.add(topic);
    },
    unsubscribe(topic) {
      self.topics.delete(topic);
    },
    disconnect() {
      members.delete(self);
    },
  };
}
