import { round } from '../support/load.ts';
import { type Load, say, startServer } from './processes.ts';

/** Kills the server, starts it again immediately, and measures the time until all `count` clients have reconnected. */
export async function measureStorm(load: Load, count: number) {
  const first = await startServer('signalr');
  await load.call('startStorm', first.port, count, true);
  const back = load.call('stormBack');
  const killedAt = Date.now();
  await first.kill();
  const second = await startServer('signalr', first.port);
  const servingMs = Date.now() - killedAt;
  const { attempts = 0, halfAt = 0, allAt = 0 } = (await back) ?? {};
  const { p99, max } = await second.call('loopDelay');
  await load.call('endStorm');
  await second.stop();
  say(
    `storm of ${count}: serving again after ${servingMs} ms, half back after ${halfAt - killedAt} ms, all after ` +
      `${allAt - killedAt} ms in ${attempts} attempts; event loop late by ${round(p99)} ms (p99), ${round(max)} ms at most`,
  );
  return { stormBackMs: allAt - killedAt, stormLoopP99Ms: round(p99), stormLoopMaxMs: round(max) };
}
