import 'temporal-polyfill/global';
import { createTestCluster } from './test-cluster.ts';

/** Starts a PostgreSQL with a migrated database. Prints the connection as JSON. Ends with the process that started it. */
const { cluster, template, stop } = await createTestCluster();
process.stdout.write(`${JSON.stringify({ ...cluster, user: 'app_user', database: template })}\n`);
process.stdin.on('end', () => void stop().then(() => process.exit(0))).resume();
