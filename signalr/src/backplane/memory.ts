import type { Backplane, BackplaneLink, BackplaneMember } from '../types.ts';
import { failure, Requests } from './requests.ts';

const requests = new Requests();

/** Joins the servers of one process that are given the same backplane; with a single server it does nothing. */
export function memory(): Backplane {
  const members = new Map<string, Member>();
  return {
    state: 'up',
    connect(instance, own) {
      const member: Member = { topics: new Set(), own };
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
  readonly own: BackplaneMember;
}

function link(members: Map<string, Member>, instance: string, self: Member): BackplaneLink {
  return {
    get isSingleNode() {
      return members.size <= 1;
    },
    publish(topic, data) {
      for (const member of members.values()) {
        if (member !== self && member.topics.has(topic)) member.own.receive(topic, data);
      }
    },
    subscribe(topic) {
      self.topics.add(topic);
    },
    unsubscribe(topic) {
      self.topics.delete(topic);
    },
    async request(other, data, timeoutMs) {
      const asked = members.get(other);
      if (!asked) throw new Error(failure.absent);
      return requests.run(timeoutMs, () => asked.own.answer(data));
    },
    disconnect() {
      if (members.get(instance) === self) members.delete(instance);
    },
  };
}
