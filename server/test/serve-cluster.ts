import 'temporal-polyfill/global';
import { createTestCluster } from './test-cluster.ts';

/** A database server of its own, migrated, apart from any application: prints how to connect, and ends with who started it. */
const { cluster, template, stop } = await createTestCluster();
process.stdout.write(`${JSON.stringify({ ...cluster, user: 'app_user', database: template })}\n`);
process.stdin.on('end', () => void stop().then(() => process.exit(0))).resume();
