import { appointments } from './appointments.ts';
import { availability } from './availability.ts';
import { hub } from './hub.ts';
import { rivals } from './rivals.ts';
import { slots } from './slots.ts';

/** `npm run bench -- NAME [COUNT]`: the last line is one JSON object with the ratios by name. */
const benches: Record<string, (count?: number) => Promise<Record<string, number | null>>> = {
  appointments,
  availability,
  hub,
  rivals,
  slots,
};

const [name = '', count] = process.argv.slice(2);
const bench = benches[name];
if (!bench) {
  process.stderr.write(`Which one? ${Object.keys(benches).join(', ')}\n`);
  process.exit(1);
}
const figures = await bench(count === undefined ? undefined : Number(count));
process.stdout.write(`${JSON.stringify(figures)}\n`);
process.exit(0);
