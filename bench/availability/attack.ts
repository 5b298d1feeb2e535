import { type Attacker, attacks } from './attacks.ts';

/** One attack in a separate process, for as long as its parent lets it: `attack.ts NAME`, the attacker in ATTACKER. */
const [name = ''] = process.argv.slice(2);
const attacker = JSON.parse(process.env['ATTACKER'] ?? '{}') as Attacker;
process.on('disconnect', () => process.exit(0));
await attacks[name]?.(attacker, () => false);
