import { openBackplane } from '../src/platform/backplane.ts';

/**
 * Two ends of a backplane by the settings in BROKER, in a process of its own, whose trusted certificates are set before it starts.
 * Prints what went across, or the first thing that the log says.
 */
const settings = JSON.parse(process.env['BROKER'] ?? '{}') as Parameters<typeof openBackplane>[0];
const say = (line: string) => process.stdout.write(`${line}\n`);
const complain = (details: object, message: string) => {
  const { err } = details as { err?: Error };
  say(`log: ${message}: ${err?.message ?? ''}`);
};
const logger = { debug() {}, info() {}, warn: complain, error: complain };

const [one, two] = await Promise.all([openBackplane(settings, logger), openBackplane(settings, logger)]);
const answer = (data: Uint8Array) => data;
const asker = one.connect('one', { receive() {}, answer });
const listener = two.connect('two', {
  receive: (topic, data) => void say(`heard: ${topic} ${Buffer.from(data).toString()}`),
  answer: () => Buffer.from("it's two"),
});
await listener.subscribe('room');
for (const end of [one, two]) while (end.state === 'down') await new Promise((resolve) => setTimeout(resolve, 20));
await asker.publish('room', Buffer.from('hello'));
say(`answer: ${Buffer.from(await asker.request('two', Buffer.from('who?'), 5_000)).toString()}`);
process.stdin.on('end', () => process.exit(0)).resume();
