import type { AnyContext, AnyDefinition, HubFilter } from './hub.ts';
import type { AnyRun } from './method-kinds.ts';
import type { DisconnectReason } from './types.ts';

type Filters = readonly HubFilter[];

/** Returns the method's function with the filters around it; the same function without filters. The first filter is the outermost. */
export function filtered(filters: Filters, method: string, run: AnyRun): AnyRun {
  if (!filters.some((filter) => filter.invoke)) return run;
  return function (this: unknown, ctx: AnyContext, ...args: unknown[]) {
    const step = async (index: number, given: readonly unknown[]): Promise<unknown> => {
      const filter = filters[index];
      const next = (changed = given) => step(index + 1, changed);
      if (!filter) return run.call(this, ctx, ...given);
      return filter.invoke ? filter.invoke({ ctx, method, args: given }, next) : next();
    };
    return step(0, args);
  };
}

/** Returns the definition with the filters around `onConnected` and `onDisconnected`; the same definition without filters. */
export function withFilteredEvents(definition: AnyDefinition, filters: Filters): AnyDefinition {
  if (!filters.some((filter) => filter.onConnected || filter.onDisconnected)) return definition;
  const connected = async (index: number, ctx: AnyContext): Promise<void> => {
    const filter = filters[index];
    const next = () => connected(index + 1, ctx);
    if (!filter) return definition.onConnected?.(ctx);
    return filter.onConnected ? filter.onConnected(ctx, next) : next();
  };
  const disconnected = async (index: number, ctx: AnyContext, reason: DisconnectReason): Promise<void> => {
    const filter = filters[index];
    const next = () => disconnected(index + 1, ctx, reason);
    if (!filter) return definition.onDisconnected?.(ctx, reason);
    return filter.onDisconnected ? filter.onDisconnected(ctx, reason, next) : next();
  };
  return {
    ...definition,
    onConnected: (ctx) => connected(0, ctx),
    onDisconnected: (ctx, reason) => disconnected(0, ctx, reason),
  };
}
