/** A probe server as a process of its own, to be killed: `node --import tsx graph-probe-process.ts STORE LEASE_MS`; prints its address. */

import { startProbeServer } from './graph-probe.js';

const [where = '', leaseMs = '1500'] = process.argv.slice(2);
const server = await startProbeServer(where, { leaseMs: Number(leaseMs), concurrency: 8 });
process.once('SIGTERM', () => void server.close().then(() => process.exit(0)));
process.stdout.write(`${server.url}\n`);
