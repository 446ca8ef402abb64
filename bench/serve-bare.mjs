// The peer of `bench:serve`: a Hono route on Node that reads a JSON body and answers with one of the same size, and nothing else.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const answer = { text: 'x'.repeat(Number(process.argv[2] ?? '1000')) };
const app = new Hono();
app.post('/', async (c) => {
  await c.req.json();
  return c.json(answer);
});
app.get('/metrics', (c) => {
  const { user, system } = process.cpuUsage();
  return c.text(`process_cpu_seconds_total ${(user + system) / 1e6}\n`);
});
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` })),
);
process.on('SIGTERM', () => process.exit(0));
