import type { Backplane, BackplaneLink, BackplaneMember } from '../types.ts';
import { failure, Requests } from './requests.ts';

const requests = new Requests();

/** Connects the hub servers of one process that share this backplane; with a single server it does nothing. */
export function memory(): Backplane {
  const members = new Map<string, Member>();
  return {
    state: 'up',
    connect(instance, handler) {
      const member: Member = { topics: new Set(), handler };
      members.set(instance, member);
      return link(members, instance, member);
    },
    async close() {
      members.clear();
    },
  };
}

interface Member {
  readonly topics: Set<string>;
  readonly handler: BackplaneMember;
}

function link(members: Map<string, Member>, instance: string, self: Member): BackplaneLink {
  return {
    get isSingleNode() {
      return members.size <= 1;
    },
    publish(topic, data) {
      for (const member of members.values()) {
        if (member !== self && member.topics.has(topic)) member.handler.receive(topic, data);
      }
    },
    subscribe(topic) {
      self.topics.add(topic);
    },
    unsubscribe(topic) {
      self.topics.delete(topic);
    },
    async request(other, data, timeoutMs) {
      const target = members.get(other);
      if (!target) throw new Error(failure.absent);
      return requests.run(timeoutMs, () => target.handler.answer(data));
    },
    disconnect() {
      if (members.get(instance) === self) members.delete(instance);
    },
  };
}
