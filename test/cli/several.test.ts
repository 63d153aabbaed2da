/** `npm start` with several processes of a kind. */
import { describe, expect, test } from 'bun:test';
import { startHub, type WholeHub } from '#test/harness/whole-hub.ts';

async function pidsOf(
  { until }: WholeHub,
  name: string,
  ready: string,
  count: number,
): Promise<readonly number[]> {
  const pids: number[] = [];
  for (let time = 1; time <= count; time += 1) {
    const [line] = await until(new RegExp(`[^\\n]*"name":"${name}"[^\\n]*"msg":"${ready}"`), time);
    pids.push(Number(/"pid":(\d+)/.exec(line)?.[1]));
  }
  return pids;
}

describe.skipIf(process.platform !== 'linux')('a hub of several processes', () => {
  test('serves on one port, restarts processes that die or hang, and stops in order', async () => {
    const hub = startHub({
      PORT: '0',
      API_PROCESSES: '2',
      WORKER_PROCESSES: 'eval-runner=2,mail=0,webhooks=0',
    });
    await hub.until(/Agent Hub is ready/);
    const baseUrl = (await hub.until(/API +(http:\S+)/))[1] ?? '';
    const apis = await pidsOf(hub, 'api', 'listening', 2);
    const runners = await pidsOf(hub, 'eval-runner', 'working', 2);
    expect(new Set([...apis, ...runners]).size).toBe(4);

    process.kill(apis[0]!, 'SIGKILL');
    await hub.until(/"service":"api \d"[^\n]*starting it again/);
    await pidsOf(hub, 'api', 'listening', 3);
    const answers = Array.from({ length: 20 }, async () => {
      const { status } = await fetch(`${baseUrl}/v1/health`, { headers: { connection: 'close' } });
      return status;
    });
    expect(new Set(await Promise.all(answers))).toEqual(new Set([200]));

    process.kill(runners[1]!, 'SIGSTOP');
    await hub.until(/"service":"worker eval-runner \d"[^\n]*SIGKILL[^\n]*10 s without a heartbeat/);
    await pidsOf(hub, 'eval-runner', 'working', 3);
    hub.hub.kill('SIGTERM');
    const { exitCode, output } = await hub.ended();
    expect(exitCode).toBe(0);
    expect(output).not.toMatch(/"name":"(mail|webhooks)"/);
    expect(output).toMatch(/"name":"sweeper"/);
  });
});

test('a process count for an unknown pool stops the start, with a message that lists the pools', async () => {
  const hub = startHub({ PORT: '0', WORKER_PROCESSES: 'eval-runners=2,inbound-mail=2' });
  const { exitCode, output, complaints } = await hub.ended();
  expect([exitCode, output]).toEqual([78, '']);
  expect(complaints).toContain('WORKER_PROCESSES must name only these pools: eval-runner, mail,');
  expect(complaints).toContain('WORKER_PROCESSES must ask for at most 1 of inbound-mail');
});
