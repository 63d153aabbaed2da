/** What a newcomer gets wrong costs no run: the agent is tried before one is redeemed. */
import { describe, expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { createTestRunner, pushQueuedRun, useTestRunner } from '#test/harness/eval-runs.ts';
import { languages, useEvaluateDoors } from '#test/harness/evaluate-doors.ts';
import { publishTestSuite } from '#test/harness/suites.ts';
import { startTarget } from '#test/harness/target.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const { hub, doors, startAs, evaluate, runsOf } = useEvaluateDoors();
const runner = useTestRunner(() => createTestRunner(hub.ctx, hub.redisUrl));

const serving = (print: string) =>
  `node -e "require('readline').createInterface({ input: process.stdin }).on('line', () => ${print})"`;

/** Concurrent, because the tests mostly wait. */
describe.concurrent.each(languages)('%s', (door) => {
  test.concurrent.each([
    ['exits', ['--cmd', 'node -e "import(\'no-such-module\')"'], /exit code 1/],
    ['is too slow', ['--cmd', 'sleep 60', '--timeout', '1'], /took longer than 1 s/],
    [
      'prints a log line',
      // A shell, because a program that starts slowly would print nothing within the timeout.
      ['--cmd', 'while read -r line; do echo ready; done', '--serve', '--timeout', '4'],
      /each reply is a line such as .* but one is ready/,
    ],
    [
      'says that it failed',
      [
        '--cmd',
        serving(String.raw`console.log('{\"case_id\":\"practice\",\"error\":\"No API key.\"}')`),
        '--serve',
      ],
      /No API key\./,
    ],
  ])('a program that %s spends no run', async (_, words, complaint) => {
    const { agent, exitCode, complaints } = await evaluate(door, ['--product', 'eval-run', ...words]);
    expect(complaints).toMatch(
      /^error: The program of --cmd did not reply to a practice prompt, so no run was started\. .*\n$/,
    );
    expect(complaints).toMatch(complaint);
    expect([exitCode, await runsOf(agent)]).toEqual([2, []]);
  });

  test('a program that understands only the cases of a suite runs it, and one that replies to none ends the run', async () => {
    const suite = `understood-${door}.yaml`;
    const cases = ['one', 'two', 'three', 'four'].map(
      (id) => `  - { id: ${id}, prompt: '{"n":"${id}"}', expect: [{ equals: ${id} }] }\n`,
    );
    await doors.write(suite, `suite: 1\nname: understood-${door}\ncases:\n${cases.join('')}`);
    const words = ['--suite-file', suite, '--concurrency', '1', '--min-pass', '1', '--cmd'];
    const reading = `node -p "JSON.parse(require('fs').readFileSync(0, 'utf8')).n"`;
    const { agent, exitCode: understood } = await evaluate(door, [...words, reading]);
    expect(understood).toBe(0);
    const { exitCode, complaints } = await evaluate(door, [...words, 'cat; exit 4'], { as: agent });
    expect(complaints).toMatch(/^error: The program of --cmd does not work\. .*exit code 4/m);
    expect(exitCode).toBe(2);
    const ends = (await runsOf(agent)).map(({ status }: { status: string }) => status);
    expect(ends.toSorted()).toEqual(['completed', 'failed']);
  });

  test('a ranked run of a suite, which is never refunded, is not spent on a program that does not work', async () => {
    const owner = await createTestAgent(hub.ctx, { tokens: 5 });
    const cases = [{ id: 'one', prompt: 'Say hello.', expect: [{ equals: 'hello' }] }];
    await publishTestSuite(actingAs(hub.ctx, owner), { suite: 1, name: `ranked-${door}`, cases });
    const ref = `@${owner.handle}/ranked-${door}`;
    await hub.fetch(`/v1/suites/${ref}`, {
      method: 'PATCH',
      token: owner.bearerToken,
      json: { visibility: 'open' },
    });
    const words = ['--suite', ref, '--ranked', '--cmd', 'exit 4'];
    const { agent, exitCode, complaints } = await evaluate(door, words);
    expect(complaints).toMatch(/no run was started\. The program ended with exit code 4\./);
    expect([exitCode, await runsOf(agent)]).toEqual([2, []]);
  });

  test('a practice prompt is asked once, with tools where the tasks have some, and ends at Ctrl-C', async () => {
    const agent = await createTestAgent(hub.ctx);
    const seconds = `7${String(process.pid).padStart(8, '0')}${door.length}`;
    const program = `read -r line; echo "$line" > ${door}.line; sleep ${seconds}`;
    const words = ['--product', 'agent-run', '--cmd', program, '--serve'];
    const { child, ended } = startAs(agent, door, words);
    const readLine = () => doors.read(`${door}.line`).catch(() => '');
    await waitUntil(async () => (await readLine()).endsWith('\n'));
    child.kill('SIGINT');
    const { exitCode, complaints } = await ended;
    expect(JSON.parse(await readLine())).toMatchObject({
      case_id: 'practice',
      messages: [{ role: 'user', content: expect.stringContaining('practice') }],
      system: expect.any(String),
      tools: [{ name: 'task_finish', parameters: { type: 'object' } }],
    });
    expect([exitCode, complaints, await runsOf(agent)]).toEqual([2, 'error: Interrupted.\n', []]);
  });

  test('a target that refuses its key, speaks something else or is not there spends no run', async () => {
    const refusing = startTarget(() => new Response('{"error":"bad key"}', { status: 401 }));
    const html = startTarget(() => new Response('<html></html>'));
    const complaintsOf = async (...words: readonly string[]) => {
      const { agent, exitCode, complaints } = await evaluate(door, ['--product', 'eval-run', ...words]);
      expect([exitCode, await runsOf(agent)]).toEqual([2, []]);
      return complaints;
    };
    const start = 'error: The target cannot be used, so no run was started. ';
    const refused = await complaintsOf('--target', refusing.url);
    expect(refused).toStartWith(`${start}The target responded with status 401.`);
    expect(refused).toEndWith('The target returned: "{\\"error\\":\\"bad key\\"}"\n');
    expect(await complaintsOf('--target', html.url, '--protocol', 'hub')).toStartWith(start);
    await Promise.all([refusing.stop(), html.stop()]);
    expect(await complaintsOf('--target', html.url)).toStartWith(
      `${start}The target refused the connection.`,
    );
  });

  test('a target that is overloaded for the moment is redeemed with the protocol that it speaks', async () => {
    let isBusy = true;
    await using target = startTarget(() =>
      isBusy
        ? new Response('overloaded', { status: 529 })
        : Response.json({
            object: 'chat.completion',
            choices: [{ message: { role: 'assistant', content: '42' } }],
          }),
    );
    const agent = await createTestAgent(hub.ctx);
    const words = `--product eval-run --target ${target.url} --concurrency 8`;
    const started = startAs(agent, door, words);
    await waitUntil(() => started.complaints().includes('Waiting: the target responded with status 529.'));
    isBusy = false;
    await pushQueuedRun(runner, agent.id);
    const { exitCode, complaints } = await started.ended;
    expect([exitCode, complaints]).toEqual([0, expect.stringContaining('77/77')]);
  });
});

/** The loop of somebody who changes an agent: what changed since the last run, and replies that need not be asked again. */
const suiteOf = (name: string) => `suite: 1
name: ${name}
cases:
  - { id: first, prompt: first, expect: [{ equals: one }] }
  - { id: second, prompt: second, expect: [{ equals: two }] }
`;

describe.concurrent.each(languages)('%s', (door) => {
  test('--watch runs again when a file changes, also one that the suite names, says what changed since the last run, and ends at Ctrl-C', async () => {
    const [suite, prompt] = [`watched-${door}.yaml`, `prompt-${door}.txt`];
    const text = `${suiteOf(`watched-${door}`)}include: shared-${door}.yaml\n`;
    await doors.write(suite, text);
    await doors.write(`shared-${door}.yaml`, 'defaults: { tags: [one] }');
    await doors.write(prompt, 'one');
    const agent = await createTestAgent(hub.ctx, { tokens: 5 });
    const words = ['--suite-file', suite, '--cmd', `cat ${prompt}`, '--watch', prompt];
    const watching = startAs(agent, door, words);
    const waitsAgain = (times: number) =>
      waitUntil(() => watching.complaints().split('Waiting for changes to').length - 1 === times);
    await waitsAgain(1);
    await doors.write(prompt, 'two');
    await waitsAgain(2);
    // A faulty file is no end.
    await doors.write(suite, 'suite: 2');
    await waitsAgain(3);
    expect(watching.complaints()).toContain(
      `Waiting for changes to ${suite}, ${prompt}. Press Ctrl-C to stop.`,
    );
    expect(watching.complaints()).toContain('The suite has faults, so nothing was run.');
    await doors.write(suite, text);
    await waitsAgain(4);
    expect(watching.complaints()).toContain(`${suite}, ${prompt} and 1 file named there. Press`);
    await doors.write(`shared-${door}.yaml`, 'defaults: { tags: [two] }');
    await waitsAgain(5);
    watching.child.kill('SIGINT');
    // As under npx, which repeats the signal that the terminal sends to both.
    if (door === 'npm') watching.child.kill('SIGINT');
    const { exitCode, printed } = await watching.ended;
    const runs = [...printed.matchAll(/^Run (\S+): /gm)].map(([, id]) => id);
    expect(runs).toHaveLength(4);
    expect(printed).toContain(`Compared with run ${runs[0]}: no clear change`);
    expect(printed).toMatch(/^Broken since the baseline \(1\)\n {2}first: /m);
    expect(printed).toContain(`Compared with run ${runs[1]}: no clear change`);
    expect(exitCode).toBe(0);
  });

  test('--watch sees a change to a named file during a run, and does not run again for what the agent writes', async () => {
    const [suite, table, folder] = [`busy-${door}.yaml`, `busy-${door}.csv`, `busy-${door}`];
    await doors.write(`${folder}/log/agent.log`, '');
    // More files than are watched.
    await Promise.all(
      Array.from({ length: 2_050 }, (_, at) => doors.write(join(folder, 'many', `${at}`), '')),
    );
    await doors.write(suite, `suite: 1\nname: busy-${door}\ncases: { file: ${table} }\n`);
    await doors.write(table, 'prompt,expected\nfirst,one\n');
    const agent = await createTestAgent(hub.ctx, { tokens: 5 });
    const program = `[ -e ${folder}.done ] || echo 'second,no' >> ${table}; touch ${folder}.done; echo one`;
    const words = ['--suite-file', suite, '--watch', join(folder, 'many')];
    const watching = startAs(agent, door, [...words, '--cmd', program]);
    await waitUntil(() => watching.complaints().split('Waiting for changes to').length - 1 === 2);
    await Bun.sleep(1_000);
    watching.child.kill('SIGINT');
    expect((await watching.ended).complaints.split('has started').length - 1).toBe(2);
    const logging = `echo x >> ${folder}/log/agent.log; echo one`;
    const watched = ['--suite-file', suite, '--watch', `${folder}/log`];
    const writes = startAs(agent, door, [...watched, '--cmd', logging]);
    await waitUntil(() => writes.complaints().includes('save it again.'));
    await Bun.sleep(1_000);
    writes.child.kill('SIGINT');
    const { complaints } = await writes.ended;
    expect(complaints.split('has started').length - 1).toBe(2);
    expect(complaints).toContain(
      `Files have changed during 2 runs in a row, now ${folder}/log/agent.log, so this change starts no run.`,
    );
  });

  test('--cache asks the program only what it was not asked before under its label, and counts', async () => {
    const [suite, log] = [`cached-${door}.yaml`, `asked-${door}.log`];
    await doors.write(suite, suiteOf(`cached-${door}`));
    const agent = await createTestAgent(hub.ctx, { tokens: 5 });
    const program = `read case; echo "$case" >> ${log}; case "$case" in second) exit 3;; esac; echo one`;
    const words = ['--suite-file', suite, '--cmd', program, '--cache', `kept-${door}`];
    const ask = (...more: string[]) => evaluate(door, [...words, ...more], { as: agent });
    const asked = async () => (await doors.read(log)).match(/first|second/g)?.toSorted();
    expect((await ask()).complaints).toContain(`0 of 2 replies came from the cache kept-${door}.`);
    // An error is asked again.
    const again = await ask();
    expect(again.complaints).toContain(`1 of 2 replies came from the cache kept-${door}.`);
    expect(again.printed).toContain('1 of 2 cases passed');
    expect(await asked()).toEqual(['first', 'second', 'second']);
    expect((await ask('--label', 'other')).complaints).toContain('0 of 2 replies came from the cache');
  });

  test('a reply from the cache took as long as it did when the program gave it', async () => {
    const [suite, folder] = [`timed-${door}.yaml`, `timed-${door}`];
    const cases = '[{ id: slow, prompt: x, expect: [{ latency_s: 1 }] }]';
    await doors.write(suite, `suite: 1\nname: timed-${door}\ncases: ${cases}\n`);
    const agent = await createTestAgent(hub.ctx, { tokens: 5 });
    const words = ['--suite-file', suite, '--cmd', 'sleep 1.2; echo ok', '--cache', folder];
    const ask = () => evaluate(door, [...words, '--min-pass', '1'], { as: agent });
    // The clock of this hub stands still.
    expect((await ask()).exitCode).toBe(0);
    const again = await ask();
    expect(again.complaints).toContain(`1 of 1 replies came from the cache ${folder}.`);
    expect(again.exitCode).toBe(1);
    const [kept = ''] = await readdir(join(doors.folder, folder));
    const path = join(folder, kept);
    const { latency_ms: _, ...untimed } = JSON.parse(await doors.read(path));
    await doors.write(path, JSON.stringify(untimed));
    expect((await ask()).complaints).toContain('0 of 1 replies came from the cache');
  });

  test('--regrade grades the replies of a run by the changed suite, and asks nothing', async () => {
    const suite = `regraded-${door}.yaml`;
    await doors.write(suite, suiteOf(`regraded-${door}`));
    const agent = await createTestAgent(hub.ctx, { tokens: 5 });
    const ask = (label: string) =>
      evaluate(door, ['--suite-file', suite, '--cmd', 'echo one', '--label', label], { as: agent });
    const [, id] = /^Run (\S+): /m.exec((await ask('main')).printed) ?? [];
    await ask('other');
    await doors.write(suite, suiteOf(`regraded-${door}`).replace('equals: two', 'contains: on'));
    const words = `--suite-file ${suite} --regrade branch:main --min-pass 1 --json`;
    const { ended } = startAs(agent, door, words);
    await pushQueuedRun(runner, agent.id);
    const { exitCode, printed } = await ended;
    const { run, unseen, cases } = JSON.parse(printed);
    expect([exitCode, run.regraded_from, run.suite.version]).toEqual([0, id, '2']);
    expect(cases).toMatchObject({ total: 2, passed: 2 });
    expect(unseen).toEqual([`The replies are those of run ${id}, graded again.`]);
  });

  test('--regrade asks the program of --judge-cmd again, which may have changed', async () => {
    const suite = `judged-${door}.yaml`;
    const cases = '[{ id: kind, prompt: one, expect: [{ judge: tone }] }]';
    const judges = '{ tone: { rubric: Polite. } }';
    await doors.write(suite, `suite: 1\nname: judged-${door}\njudges: ${judges}\ncases: ${cases}\n`);
    const agent = await createTestAgent(hub.ctx, { tokens: 5 });
    const start = (words: string, verdict: string, model: string) => {
      const judge = ['--judge-cmd', `cat >/dev/null; echo 'VERDICT: ${verdict}'`, '--judge-model', model];
      const given = [...`--suite-file ${suite} --json --min-pass 1 ${words}`.split(' '), ...judge];
      return evaluate(door, given, { as: agent });
    };
    expect((await start('--cmd cat', 'PASS', 'm-1')).exitCode).toBe(0);
    const ended = start('--regrade latest', 'FAIL', 'm-2');
    await pushQueuedRun(runner, agent.id);
    const { exitCode, complaints } = await ended;
    expect([exitCode, complaints]).toEqual([1, expect.stringContaining('Judging 1 reply.')]);
  });

  test('--matrix runs each label with its own flags, and ends with the cases by label', async () => {
    const [suite, matrix] = [`columns-${door}.yaml`, `matrix-${door}.yaml`];
    const titled = suiteOf(`columns-${door}`).replace(
      'id: second',
      String.raw`id: second, title: "\x9b1m\u202e"`,
    );
    await doors.write(suite, titled);
    const agent = await createTestAgent(hub.ctx, { tokens: 5 });
    const ask = (more = '') =>
      evaluate(door, `--suite-file ${suite} --matrix ${matrix} --min-pass 0.5${more}`, { as: agent });
    const wrongLines = ['"odd', 'gpt-4, cold:', String.raw`  label: "a\"b"`, "  cmd: 'a' b"];
    for (const wrong of wrongLines) {
      await doors.write(matrix, `# prompts\nmain:\n  cmd: echo one\n${wrong}\nnew: { cmd: echo }\n`);
      const refused = await ask();
      expect([wrong, refused.exitCode]).toEqual([wrong, 3]);
      expect(refused.complaints).toContain(`--matrix ${matrix}:4 must be a label without a comma, such as`);
    }
    // Each label may ask what failed with itself.
    const ownBaseline = (label: string) => `${label}: { cmd: cat, baseline: branch:${label} }\n`;
    await doors.write(matrix, ownBaseline('main') + ownBaseline('new'));
    expect((await ask(' --only failed')).exitCode).toBe(2);
    await doors.write(
      matrix,
      `# prompts\nmain: { cmd: 'echo one', trials: 1 } # old\nnew prompt:\n  cmd: "cat >/dev/null; echo two"  # new\n`,
    );
    const again = await ask(' --only failed');
    expect([again.exitCode, again.complaints]).toEqual([
      3,
      'error: --only failed in a matrix needs --baseline with another run or label. Otherwise new prompt asks what became of a label before it.\n',
    ]);
    const { exitCode, printed, complaints } = await ask();
    expect(printed).toMatch(/^# main, new prompt: 1 regressed, 1 improved$/m);
    expect(printed).toMatch(/^\| first \(regressed\) +\| passed +\| failed +\|$/m);
    expect(complaints).toEndWith(
      `${hub.url}/suites/@${agent.handle}/columns-${door}/matrix?q=main%2Cnew+prompt\n`,
    );
    expect(exitCode).toBe(0);
    // Nothing that a terminal obeys.
    const asJson = (await ask(' --json')).printed;
    for (const text of [printed, asJson]) expect(text).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
    expect(asJson).toContain(String.raw`"\u009b1m\u202e"`);
    const beside = (labels: string) => {
      const words = ['--suite-file', suite, '--cmd', 'echo two', '--label', 'third'];
      return evaluate(door, [...words, '--compare-label', labels], { as: agent });
    };
    expect((await beside('main,new prompt')).printed).toMatch(
      /^# main, new prompt, third: 1 regressed, 1 improved$/m,
    );
    expect(await beside('nobody')).toMatchObject({
      exitCode: 0,
      complaints: expect.stringContaining('There is no table. You have no completed run'),
    });
  });
});

/** npx starts the program by a shell, which the signal of a terminal would end. */
test('Ctrl-C on a terminal ends --watch, and the shell that has started it goes on', async () => {
  await doors.write('typed.yaml', suiteOf('typed'));
  const agent = await createTestAgent(hub.ctx, { tokens: 5 });
  const words = [...doors.programs.npm, '--suite-file', 'typed.yaml', '--cmd', 'cat', '--watch'];
  let shown = '';
  const shell = Bun.spawn(['sh', '-c', '"$@"; echo "exit code $?"', 'sh', ...words], {
    cwd: doors.folder,
    env: { PATH: process.env['PATH'], HOME: doors.folder, HUB_URL: hub.url, HUB_TOKEN: agent.bearerToken },
    terminal: { cols: 200, rows: 50, data: (_, bytes) => void (shown += Buffer.from(bytes).toString()) },
  });
  await waitUntil(async () => shown.includes('Press Ctrl-C to stop.'));
  shell.terminal?.write('\u0003');
  expect(await shell.exited).toBe(0);
  expect(shown).toContain('exit code 0');
});
