import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { crashPoints } from '#runtime/process/crash-points.ts';
import { type StartedProgram, startProgram } from '#test/harness/run-program.ts';

/** Runs a program with a shutdown in a separate process, because signals go to processes. */
function startSteps(steps: string, { ipc = false }: { ipc?: boolean } = {}) {
  const program = `
    const { announceReady, createShutdown } = await import('${join(import.meta.dir, '../../runtime/process/shutdown.ts')}');
    const logger = { info: (fields) => console.log('begin', fields.reason), error: (fields) => console.log('failed', fields.step) };
    const shutdown = createShutdown({ logger });
    const step = (name, run, timeoutMs = 1000) => shutdown.onShutdown(name, run, timeoutMs);
    ${steps}
    setInterval(() => {}, 60_000);
    console.log('running');
    announceReady();
  `;
  const supervised = ipc ? { env: { ...process.env, AGENT_HUB_SUPERVISED: '1' }, ipc: () => {} } : {};
  return startProgram([process.execPath, '-e', program], supervised);
}

/** What it printed, line by line, and its exit code. */
async function endOf({ ended }: StartedProgram) {
  const { exitCode, printed } = await ended;
  return { exitCode, lines: printed.trim().split('\n') };
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  test(`${signal} runs the steps one after the other, the last registered first, and exits with 0`, async () => {
    const it = startSteps(`
      step('first', () => console.log('first'));
      step('second', async () => { await Bun.sleep(50); console.log('second'); });
    `);
    await it.until(/running/);
    it.child.kill(signal);
    const lines = ['running', `begin ${signal}`, 'second', 'first'];
    expect(await endOf(it)).toEqual({ exitCode: 0, lines });
  });
}

test('a step that hangs, fails or throws does not stop the others from running', async () => {
  const it = startSteps(`
    step('last', () => console.log('last'));
    step('throws', () => { throw new Error('x'); });
    step('rejects', () => Promise.reject(new Error('x')));
    step('hangs', () => new Promise(() => {}), 100);
  `);
  await it.until(/running/);
  it.child.kill('SIGTERM');
  const lines = ['running', 'begin SIGTERM', 'failed hangs', 'failed rejects', 'failed throws', 'last'];
  expect(await endOf(it)).toEqual({ exitCode: 0, lines });
});

test('a signal that arrives twice at once, as under npm, counts once; a later one ends the process at once', async () => {
  const { child, until, ended } = startSteps(`
    step('slow', () => Bun.sleep(20_000), 30_000);
    step('quick', () => Bun.sleep(50).then(() => console.log('quick')));
  `);
  await until(/running/);
  child.kill('SIGINT');
  child.kill('SIGTERM');
  await until(/quick/);
  await Bun.sleep(600);
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ exitCode: 130 });
});

test('a process that requests its own shutdown twice runs its steps once', async () => {
  const it = startSteps(`
    step('once', () => console.log('once'));
    void shutdown.begin('fault', 5);
    void shutdown.begin('again', 6);
  `);
  const { exitCode, lines } = await endOf(it);
  expect([exitCode, lines.filter((line) => line === 'once')]).toEqual([5, ['once']]);
});

test('a process gives its memory back when it rests, and not while it is busy', async () => {
  // Its use of the processor is told, because a busy machine may give it none for a while.
  const { child, until, printed } = startSteps(`
    const { shrinkSoon } = await import('${join(import.meta.dir, '../../runtime/process/shutdown.ts')}');
    let [reads, used] = [0, 0];
    process.cpuUsage = (before) => {
      reads += 1;
      if (reads < 6) used += 40_000;
      return { user: used - (before?.user ?? 0), system: 0 };
    };
    Bun.shrink = () => console.log('shrunk after', reads, 'readings');
    shrinkSoon(50);
  `);
  await until(/readings\n/);
  child.kill('SIGKILL');
  expect(printed()).toBe('running\nshrunk after 6 readings\n');
});

test('a supervised process shuts down in order when its supervisor is gone', async () => {
  const it = startSteps(`step('only', () => console.log('only'));`, { ipc: true });
  await it.until(/running/);
  it.child.disconnect();
  const lines = ['running', 'begin the supervisor is gone', 'only'];
  expect(await endOf(it)).toEqual({ exitCode: 0, lines });
});

/** Every named crash point exists in the code. */
const root = join(import.meta.dirname, '..', '..');

const sources = new Bun.Glob('{api,actors,db,domain,runtime,workers}/**/*.ts');

test('every crash point appears once in the code, or once per store', async () => {
  const passed: string[] = [];
  for await (const file of sources.scan(root)) {
    const text = await Bun.file(join(root, file)).text();
    passed.push(...[...text.matchAll(/\bcrashPoint\('([^']+)'\)/g)].map(([, name = '']) => name));
  }
  const perStore = crashPoints.filter((name) => name.startsWith('transaction.'));
  expect(passed.toSorted()).toEqual([...crashPoints, ...perStore].toSorted());
});
