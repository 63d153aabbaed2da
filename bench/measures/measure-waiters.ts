/** Memory and CPU of an API process while many agents wait for cases of their runs in pull mode. */
import { connect } from 'node:net';
import { createCrowd } from '#test/harness/crowd.ts';
import { startWaitingRuns } from '#test/harness/waiting-runs.ts';
import { type BenchEnvironment, openContext, startApi, startRedis } from '../bench-environment.ts';
import { canSeeProcesses, cpuMsOf, memoryOf } from '../processes/process-usage.ts';
import { atMost, format, type Row } from '../table.ts';

const memoryLimitMb = 200;
const sampleMs = 500;
const warmUpAgents = 20;
/** By then, all agents have sent their requests, and none has received a response. */
const startShare = 0.3;

export async function measureWaiters(env: BenchEnvironment): Promise<readonly Row[]> {
  if (!canSeeProcesses) return [{ measure: 'agents that wait', hub: 'only measured on Linux' }];
  const { store, size } = env;
  const { waiters, waitSeconds } = size;
  const redis = await startRedis(env, 'waiters');
  const setting = await store.createDatabase('waiters');
  const ctx = await openContext(env, setting, { publish: () => {}, signal: () => {} });
  const agents = await createCrowd(ctx, waiters, 1);
  const ids = await startWaitingRuns(ctx, agents);
  const api = await startApi(env, setting, redis.url);
  const ask = (seconds: number, count = waiters) =>
    Promise.all(
      agents
        .slice(0, count)
        .map(({ bearerToken }, index) => askAndClose(api.port, ids[index]!, bearerToken, seconds)),
    );
  // The first requests compile code, which must not count as the memory of waiting ones.
  await ask(0, warmUpAgents);
  const memoryBefore = memoryOf([api.pid]);
  let peak = memoryBefore;
  const sampler = setInterval(() => {
    const now = memoryOf([api.pid]);
    if (now.pssMb > peak.pssMb) peak = now;
  }, sampleMs);
  const waiting = ask(waitSeconds);
  await Bun.sleep(waitSeconds * 1_000 * startShare);
  const cpuBefore = cpuMsOf(api.pid);
  const watchMs = waitSeconds * 1_000 * (1 - 2 * startShare);
  await Bun.sleep(watchMs);
  const cpuMs = cpuMsOf(api.pid) - cpuBefore;
  const empty = (await waiting).filter((response) => response.includes('"cases":[]')).length;
  clearInterval(sampler);
  const growthMb = peak.pssMb - memoryBefore.pssMb;
  return [
    {
      measure: `${format(waiters)} agents waiting ${waitSeconds} s: growth of PSS, MB`,
      hub: format(growthMb),
      aim: atMost(memoryLimitMb, growthMb),
    },
    { measure: `  CPU of the process in ${format(watchMs / 1_000, 1)} s of it, ms`, hub: format(cpuMs) },
    { measure: '  empty responses at the end', hub: format(empty) },
  ];
}

/** Uses a socket of its own, because HTTP clients limit their connections. */
function askAndClose(port: number, id: string, token: string, seconds: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(port, '127.0.0.1');
  let response = '';
  socket
    .setEncoding('utf8')
    .on('data', (part: string) => {
      response += part;
    })
    .on('end', () => resolve(response))
    .on('error', reject);
  const path = `/v1/runs/${id}/cases/next?wait=${seconds}`;
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
  );
  return promise;
}
