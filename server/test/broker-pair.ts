import { openBackplane } from '../src/platform/backplane.ts';

/**
 * Connects two instances by the broker in BROKER, and prints what arrives, or what the log says. A separate process, since
 * trusted certificates (NODE_EXTRA_CA_CERTS) are read at its start.
 */
const settings = JSON.parse(process.env['BROKER'] ?? '{}') as Parameters<typeof openBackplane>[0];
const print = (line: string) => process.stdout.write(`${line}\n`);
const printLog = (details: object, message: string) => {
  const { err } = details as { err?: Error };
  print(`log: ${message}: ${err?.message ?? ''}`);
};
const logger = { debug() {}, info() {}, warn: printLog, error: printLog };

const [one, two] = await Promise.all([openBackplane(settings, logger), openBackplane(settings, logger)]);
const answer = (data: Uint8Array) => data;
const sender = one.connect('one', { receive() {}, answer });
const receiver = two.connect('two', {
  receive: (topic, data) => void print(`received: ${topic} ${Buffer.from(data).toString()}`),
  answer: () => Buffer.from("it's two"),
});
await receiver.subscribe('room');
for (const end of [one, two]) while (end.state === 'down') await new Promise((resolve) => setTimeout(resolve, 20));
await sender.publish('room', Buffer.from('hello'));
print(`answer: ${Buffer.from(await sender.request('two', Buffer.from('who?'), 5_000)).toString()}`);
process.stdin.on('end', () => process.exit(0)).resume();
