import { type Attacker, attacks } from './attacks.ts';

/** Runs one attack in a separate process until its parent stops it: `attack.ts NAME`, with the attacker as JSON in ATTACKER. */
const [name = ''] = process.argv.slice(2);
const attacker = JSON.parse(process.env['ATTACKER'] ?? '{}') as Attacker;
process.on('disconnect', () => process.exit(0));
await attacks[name]?.(attacker, () => false);
