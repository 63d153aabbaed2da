/**
 * An agent on the machine of a public hub: serves a secret at all addresses, and has the hub call hosts that mean this
 * machine. Prints what came of it as JSON. Arguments: the hub's URL, and the hosts, separated by spaces.
 */
import { createKey, Hub, HubError } from '../../../client/src/index.ts';

const [url = '', hosts = ''] = process.argv.slice(2);
const port = 9_000;
const called: string[] = [];
const server = Bun.serve({
  hostname: '::',
  port,
  fetch: (request) => {
    called.push(request.headers.get('host') ?? '');
    return Response.json({ text: 'internal secret' });
  },
});
const hub = await Hub.signUp(url, { handle: 'curious', key: await createKey() });
const targetAt = (host: string): string => `http://${host}:${port}/`;

async function probe(host: string): Promise<string> {
  try {
    const target = { url: targetAt(host), protocol: 'hub' as const };
    const { status, reply_excerpt } = await hub.call('probe', { target });
    return `${status}: ${reply_excerpt}`;
  } catch (error) {
    if (error instanceof HubError) return error.code;
    throw error;
  }
}

async function outcomeOfRun(host: string): Promise<string> {
  const { run } = await hub.call('redeem', { product: 'eval-run', target_url: targetAt(host) });
  for (;;) {
    const { eval_job: job } = await hub.call('getEvalJob', { id: run.id });
    if (job.failure !== null || job.status === 'completed') return job.failure?.code ?? job.status;
    await Bun.sleep(50);
  }
}

const probes: Record<string, string> = {};
for (const host of hosts.split(' ')) probes[host] = await probe(host);
const run = await outcomeOfRun('alias.test');
console.log(JSON.stringify({ probes, run, called }));
await server.stop(true);
