/** A client that is killed in the middle of a run, the one that continues it, and one that waits for a place. */
import { describe, expect, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cancelRun } from '#domain/runs/cancel-run.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { languages, useEvaluateDoors } from '#test/harness/evaluate-doors.ts';
import { orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const ids = ['one', 'two', 'three', 'four', 'five', 'six'];
const suiteOf = (name: string) => `suite: 1
name: ${name}
cases:
${ids.map((id) => `  - { id: ${id}, prompt: ${id}, expect: [{ equals: ${id} }] }`).join('\n')}
`;
/** Notes each case that it is asked. From the third on, it replies once the file `hold` is gone. */
const programOf = (door: string) => `read case
case "$case" in *practice*) echo ready; exit;; esac
echo "$case" >> ${door}.log
case "$case" in one|two) ;; *) while [ -e ${door}.hold ]; do sleep 0.1; done;; esac
echo "$case"`;

const limits = { openRuns: 1, failedCallsPerDay: 0 };
const { hub, doors, startAs, runsOf } = useEvaluateDoors({}, { rules: { runLimits: limits } });

const wordsFor = (door: string) =>
  `--suite-file ${door}.yaml --concurrency 2 --cmd`.split(' ').concat(`sh ${door}.sh`);

async function prepareFor(door: string): Promise<TestAgent> {
  await doors.write(`${door}.yaml`, suiteOf(`resumed-${door}`));
  await doors.write(`${door}.sh`, programOf(door));
  await doors.write(`${door}.hold`, '');
  await rm(join(doors.folder, `${door}.log`), { force: true });
  return createTestAgent(hub.ctx, { tokens: 5 });
}

describe.each(languages)('%s', (door) => {
  const letGo = () => rm(join(doors.folder, `${door}.hold`));
  const words = wordsFor(door);
  const asked = async () => (await doors.read(`${door}.log`).catch(() => '')).split('\n').slice(0, -1);
  const isHeld = async () => (await asked()).length === 4;

  test.each(['latest', 'id'])(
    'a run whose client is killed goes on with --resume (%s): no answer is lost or given twice',
    async (which) => {
      const agent = await prepareFor(door);
      const killed = startAs(agent, door, words);
      await waitUntil(isHeld);
      killed.child.kill('SIGKILL');
      await killed.ended.catch(() => undefined);
      const [open] = await runsOf(agent);
      expect(open).toMatchObject({ status: 'running', progress: { done: 2, total: 6 } });
      await letGo();
      const resume = which === 'latest' ? ['--resume'] : ['--resume', open.id];
      const resumed = startAs(agent, door, [...words, ...resume]);
      if (which === 'latest')
        await waitUntil(async () => resumed.complaints().includes(`has cases of the open run ${open.id}`));
      // The leases of the killed client end.
      hub.clock.advance(60_001);
      const { exitCode, complaints } = await resumed.ended;
      expect(complaints).toContain(
        `Run ${open.id} of @${agent.handle}/resumed-${door} goes on after 2 of 6.`,
      );
      expect(exitCode).toBe(0);
      expect(await runsOf(agent)).toMatchObject([{ id: open.id, status: 'completed', score: 100 }]);
      const [before, after] = [(await asked()).slice(0, 4), (await asked()).slice(4)];
      expect(before.toSorted()).toEqual(ids.slice(0, 4).toSorted());
      expect(after.toSorted()).toEqual(ids.slice(2).toSorted());
    },
  );

  test('a case belongs to its client while it works on it, also beside another client', async () => {
    const agent = await prepareFor(door);
    const first = startAs(agent, door, words);
    await waitUntil(isHeld);
    const [{ id }] = await runsOf(agent);
    const second = startAs(agent, door, [...words, '--resume', id]);
    await waitUntil(async () => (await asked()).length === 6);
    await letGo();
    const ends = await Promise.all([first.ended, second.ended]);
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect((await asked()).toSorted()).toEqual(ids.toSorted());
    expect(await runsOf(agent)).toMatchObject([{ status: 'completed', score: 100 }]);
  });

  test('a run that another client answers is not taken up: a job beside it starts its own', async () => {
    const agent = await prepareFor(door);
    const first = startAs(agent, door, words);
    await waitUntil(isHeld);
    const [{ id }] = await runsOf(agent);
    const second = startAs(agent, door, [...words, '--resume']);
    await waitUntil(async () => second.complaints().includes(`has cases of the open run ${id}`));
    await letGo();
    const { exitCode, complaints } = await second.ended;
    expect((await first.ended).exitCode).toBe(0);
    expect(complaints).toContain(
      `Run ${id} is open, but is being answered by another client, so a new run starts.`,
    );
    expect(exitCode).toBe(0);
    expect(await runsOf(agent)).toMatchObject([{ status: 'completed' }, { id, status: 'completed' }]);
    expect((await asked()).toSorted()).toEqual([...ids, ...ids].toSorted());
  });

  test('with --resume, a new run starts if none is open, and an interrupted one stays open', async () => {
    const agent = await prepareFor(door);
    const interrupted = startAs(agent, door, [...words, '--resume']);
    await waitUntil(isHeld);
    interrupted.child.kill('SIGINT');
    const { exitCode, complaints } = await interrupted.ended;
    const [open] = await runsOf(agent);
    expect(complaints).toContain(`The run stays open: --resume ${open.id} continues it.`);
    expect([exitCode, open.status]).toEqual([2, 'running']);
    await letGo();
  });
});

/** Concurrent, because a client asks for a place every five seconds. */
describe.concurrent.each(languages)('%s', (door) => {
  test('a run waits for a place while another one of its agent is at work, and says so', async () => {
    const agent = await prepareFor(door);
    await rm(join(doors.folder, `${door}.hold`));
    const as = actingAs(hub.ctx, agent);
    const cases = [{ id: 'a', prompt: 'a', expect: [{ equals: 'a' }] }];
    await publishTestSuite(as, { suite: 1, name: 'busy', cases });
    const { id: runId } = await orderSuiteRun(as, `@${agent.handle}/busy`);
    await handOutCases(as, { runId, limit: 1 });
    const waiting = startAs(agent, door, wordsFor(door));
    await waitUntil(async () => waiting.complaints().includes('Waiting: You have 1 open runs at work.'));
    await cancelRun(as, { runId });
    expect((await waiting.ended).exitCode).toBe(0);
  });
});
