/** The command `evaluate` with suites of own cases: what a change broke is named, in the same words in both languages. */
import { describe, expect, test } from 'bun:test';
import { createTestAgent } from '#test/harness/agents.ts';
import { languages, useEvaluateDoors } from '#test/harness/evaluate-doors.ts';
import { ordersProgram, ordersSuite } from '#test/harness/orders-suite.ts';

const suite = `suite: 1
name: refund-desk
cases:
  - { id: greeting, prompt: Say hello., expect: [{ equals: hello }] }
  - { id: late-parcel, prompt: A parcel is late., expect: [{ equals: Refund, ignore: [case] }, { length: words, max: 1 }] }
  - { id: total, prompt: What is 17 + 4?, expect: [{ number: 21 }] }
  - { id: never, prompt: Name the moon., expect: [{ equals: Luna }] }
`;
/** Answers every case but \`never\`. */
const good = `case "$(cat)" in *hello*) echo hello;; *parcel*) echo refund;; *17*) echo 'It is 21.';; *) echo sorry;; esac`;
/** Markup in a reply, and one case that fails as a program. */
const hostile = '`</code> <b>|@ada\\n# head \\033[31m';
const bad = `case "$(cat)" in *hello*) echo hello;; *parcel*) printf '${hostile}';; *17*) echo 'no idea' >&2; exit 4;; *) echo sorry;; esac`;
/** Right in the first trial only. */
const unsteady = `require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { case_id, trial, prompt } = JSON.parse(line);
  console.log(JSON.stringify({ case_id, text: prompt.includes('17') && trial > 1 ? '22' : '21' }));
})`;

type Language = (typeof languages)[number];

const { hub, doors, evaluate, runsOf } = useEvaluateDoors({
  'orders.yaml': JSON.stringify(ordersSuite),
  'orders.cjs': ordersProgram,
  'desk.yaml': suite,
  'good.sh': good,
  'bad.sh': bad,
  'unsteady.cjs': unsteady,
});

/** Without what differs between runs. */
function settled(text: string): string {
  return (
    text
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'RUN')
      .replaceAll(/@[\w-]+\//g, '@OWNER/')
      .replaceAll(/(?:npm|python)-7/g, 'OWNER')
      .replaceAll(/time="[\d.]+"/g, 'time=""')
      .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d UTC, took \d+ \w+/g, 'TIME')
      // How often the progress is shown depends on the time between cases.
      .replaceAll(/(?<=\n)(\d+\/12\n)+(?=12\/12\n)/g, '')
  );
}

/** A first run on the branch \`main\`, then one with a change that breaks two cases, then one with trials. */
async function story(language: Language) {
  const agent = await createTestAgent(hub.ctx, { handle: `${language}-7`, tokens: 10 });
  const words = ['--suite-file', 'desk.yaml'];
  const run = (...more: string[]) => evaluate(language, [...words, ...more], { as: agent });
  const first = await run('--cmd', 'sh good.sh', '--label', 'main');
  const reports = ['--junit', `${language}.xml`, '--markdown', `${language}.md`];
  const bars = ['--baseline', 'branch:main', '--fail-on', 'broken', '--min-pass', '0.2'];
  const second = await run('--cmd', 'sh bad.sh', '--concurrency', '2', ...bars, ...reports);
  const [junit, markdown] = [await doors.read(`${language}.xml`), await doors.read(`${language}.md`)];
  const serve = ['--cmd', 'node unsteady.cjs', '--serve', '--trials', '3'];
  const more = ['--baseline', 'latest', '--fail-on', 'worse'];
  const suiteOfBoth = ['--suite', `@${language}-7/refund-desk`];
  const third = await evaluate(language, [...suiteOfBoth, ...serve, ...more], { as: agent });
  const texts = [first, second, third].map(({ exitCode, printed, complaints }) => ({
    exitCode,
    printed: settled(printed),
    complaints: settled(complaints),
  }));
  return { runs: texts, junit: settled(junit), markdown: settled(markdown) };
}

test('a report with an unknown outcome ends the command with exit code 2', async () => {
  const between = Bun.serve({
    port: 0,
    fetch: (request) => {
      const { pathname, search } = new URL(request.url);
      if (pathname.endsWith('/report')) return Response.json({ outcome: 'fine' });
      return fetch(hub.url + pathname + search, {
        method: request.method,
        headers: request.headers,
        body: request.body,
      });
    },
  });
  for (const language of languages) {
    const words = ['--suite-file', 'desk.yaml', '--cmd', 'sh good.sh'];
    const env = { HUB_URL: between.url.origin };
    const { exitCode, complaints } = await evaluate(language, words, { env });
    expect([language, exitCode]).toEqual([language, 2]);
    expect(complaints).toContain('does not say whether the bars held');
  }
  await between.stop(true);
});

test('--trace writes the conversations to a file or an endpoint, and a line of it makes a draft', async () => {
  for (const language of languages) {
    const agent = await createTestAgent(hub.ctx, { handle: `${language}-trace`, tokens: 10 });
    const received: { path: string; key: string | null; body: string }[] = [];
    const collector = Bun.serve({
      port: 0,
      fetch: async (request) => {
        const { pathname } = new URL(request.url);
        received.push({ path: pathname, key: request.headers.get('x-key'), body: await request.text() });
        return pathname === '/v1/traces' ? Response.json({}) : new Response('no', { status: 404 });
      },
    });
    const asked = ['--suite-file', 'desk.yaml', '--cmd', 'sh good.sh', '--trace'];
    const env = { TRACE_HEADERS: 'x-key: k-1' };
    const trace = (destination: string) => evaluate(language, [...asked, destination], { as: agent, env });
    expect((await trace(`${language}.jsonl`)).exitCode).toBe(0);
    expect((await trace(collector.url.origin)).exitCode).toBe(0);
    const failed = await trace(`${collector.url.origin}/other`);
    expect(failed.exitCode).toBe(2);
    expect(failed.complaints).toContain('The run has ended, but --trace http://');
    expect(failed.complaints).toContain('It responded with status 404.');
    await collector.stop(true);
    const lines = (await doors.read(`${language}.jsonl`)).trimEnd().split('\n');
    expect(lines).toHaveLength(4);
    expect(received.slice(0, 4).map(({ path, key, body }) => [path, key, body.length])).toEqual(
      lines.map((line) => ['/v1/traces', 'k-1', line.length]),
    );
    const path = `/v1/suites/@${language}-trace/refund-desk/drafts`;
    const draft = await hub.fetch(path, {
      method: 'POST',
      token: agent.bearerToken,
      json: { verdict: 'accepted', span: JSON.parse(lines[1] ?? '') },
    });
    expect([draft.status, draft.body.draft.case]).toEqual([
      201,
      expect.objectContaining({ prompt: 'A parcel is late.', accepted: ['refund'] }),
    ]);
  }
});

test('the two cases that a change broke are named first, in the same words in both languages', async () => {
  const [npm, python] = [await story('npm'), await story('python')];
  expect(python).toEqual(npm);
  const [first, second, third] = npm.runs;
  expect(first).toEqual({
    exitCode: 0,
    complaints:
      '@OWNER/refund-desk version 1 is published.\nRun RUN of @OWNER/refund-desk has started.\n4/4\n',
    printed: expect.stringMatching(
      /^@OWNER\/refund-desk version 1: pass rate 75\.0% \(95% interval [\d.]+% to [\d.]+%\), 3 of 4 cases passed\nRun RUN: http:\S+\/me\/runs\/RUN\n\nFailing \(1\)\n {2}never: expected equals: "Luna", found equals: "sorry"\n\nNo bar was set, so exit code 0 only says that the run completed\. Add --min-pass, or --baseline and --fail-on\.\n$/,
    ),
  });
  expect(second?.exitCode).toBe(1);
  expect(second?.complaints).toContain('version 1 is unchanged.');
  expect(second?.printed).toMatch(
    /^Compared with run RUN: no clear change \(p = \d\.\d{3}\), 2 broken; compared 4 of 4 cases\. It is labelled main$/m,
  );
  expect(second?.printed).toContain('\nBroken since the baseline (2)\n  late-parcel: expected ');
  expect(second?.printed).toContain(
    '\n  total: no reply: The program ended with exit code 4: no idea\n\nFailing (1)\n  never: ',
  );
  expect(second?.printed).toEndWith(
    '\nFELL SHORT: --fail-on broken: 2 cases broke: late-parcel, total.\nHeld: --min-compared 0.5: compared 4 of 4 cases.\n'.replace(
      'FELL',
      'Held: --min-pass 0.2: the pass rate is 0.250, at least 0.2 is required.\nFELL',
    ),
  );
  expect(npm.markdown.indexOf('### Broken since the baseline (2)')).toBeLessThan(
    npm.markdown.indexOf('### Failing'),
  );
  expect(npm.markdown).toContain('`</code> <b>|@ada # head');
  expect([...npm.junit.matchAll(/testcase name="([\w-]+)"/g)].map(([, name]) => name)).toEqual([
    'bars',
    'greeting',
    'late-parcel',
    'total',
    'never',
  ]);
  expect(npm.junit).toContain('&#60;/code&#62; &#60;b&#62;|@ada');
  expect(npm.junit).not.toMatch(/\p{Cc}(?<!\n)/u);
  expect(npm.junit).toContain(
    '<error message="trial 1: no_reply" type="no_reply">no reply: The program ended',
  );
  expect(npm.junit).toContain('classname="@OWNER/refund-desk"');
  expect(third?.printed).toContain('1 flaky');
});

describe.each(languages)('%s', (language) => {
  test.each([
    ['--cmd', ['--cmd', 'node orders.cjs']],
    ['--serve', ['--cmd', 'node orders.cjs serve', '--serve']],
  ])('a case goes on with %s while the program calls tools', async (_, words) => {
    const ran = await evaluate(language, ['--suite-file', 'orders.yaml', ...words, '--min-pass', '1']);
    expect(ran).toMatchObject({ exitCode: 0, printed: expect.stringContaining('1 of 1 cases passed') });
  });

  test('`--only` asks some cases again and says of how many, and what the hub refuses spends no run', async () => {
    const as = await createTestAgent(hub.ctx, { tokens: 10 });
    const run = (...words: string[]) =>
      evaluate(language, ['--suite-file', 'desk.yaml', '--cmd', 'sh good.sh', ...words], { as });
    for (const [words, why] of [
      ['--suite-file desk.yaml --only failed', 'needs a completed run'],
      ['--product eval-run --limit 2', 'An `eval-run` does not take `limit`.'],
    ] as const) {
      const { exitCode, complaints } = await evaluate(language, `${words} --cmd cat`, { as });
      expect([exitCode, complaints, await runsOf(as)]).toEqual([2, expect.stringContaining(why), []]);
    }
    await run('--label', 'main');
    hub.clock.advance(1_000);
    const again = await run('--only', 'failed', '--baseline', 'latest', '--fail-on', 'broken');
    expect(again.printed).toContain('The run asks 1 of the 4 cases of its version.');
    expect([again.exitCode, again.printed]).toEqual([0, expect.stringContaining('compared 1 of 1 case')]);
    const first = await run('--only', '/e/', '--limit', '2', '--min-pass', '1');
    expect([first.exitCode, first.printed]).toEqual([0, expect.stringContaining('2 of 2 cases passed')]);
  });

  test('cases of a newer version that the file lacks are named, with the page that has them', async () => {
    const handle = `${language}-lack`;
    const as = await createTestAgent(hub.ctx, { handle, tokens: 10 });
    const ask = (file: string) => evaluate(language, ['--suite-file', file, '--cmd', 'sh good.sh'], { as });
    await doors.write('lack.yaml', suite);
    expect((await ask('lack.yaml')).complaints).not.toContain('Note:');
    const kept = '  - { id: ID, prompt: Say hello again., expect: [{ equals: hello }] }\n';
    const more = suite + ['one', 'two'].map((id) => kept.replace('ID', id)).join('');
    await doors.write('more.yaml', more);
    await ask('more.yaml');
    const page = (version: number) => `${hub.url}/suites/@${handle}/refund-desk?version=${version}`;
    expect((await ask('lack.yaml')).complaints).toContain(
      `version 1 is unchanged.\nNote: version 2, the newest, has 2 cases that lack.yaml lacks, so this run does not ask them. ${page(2)} has them as YAML.\n`,
    );
    await doors.write('lack.yaml', suite + kept);
    expect((await ask('lack.yaml')).complaints).toContain(
      'Note: version 2, the one before, has 2 cases that',
    );
  });

  test('a faulty file is not run: each fault has its place', async () => {
    const as = await createTestAgent(hub.ctx, { tokens: 10 });
    const faulty = `faulty-${language}.yaml`;
    await doors.write(faulty, suite.replace('id: total', 'id: total, refused: ["21"]'));
    const evaluateFile = (file: string) => evaluate(language, `--suite-file ${file} --cmd true`, { as });
    const { exitCode, complaints } = await evaluateFile(faulty);
    expect(complaints).toMatch(
      /^error: The suite has faults, so nothing was run\.\n\S+\.yaml:6:\d+: cases\[2\]\S*: .+\n$/,
    );
    expect(exitCode).toBe(2);
    const missing = await evaluateFile('none.yaml');
    expect(missing.exitCode).toBe(2);
    expect(missing.complaints).toMatch(
      /^error: --suite-file none\.yaml cannot be read: .*Check the name of the file\.\n$/,
    );
    const ending = await evaluateFile('good.sh');
    expect([ending.exitCode, ending.complaints]).toEqual([
      3,
      'error: --suite-file must end with one of .json, .jsonl, .yaml, .yml, but is good.sh. Rename it.\n',
    ]);
    expect(await runsOf(as)).toEqual([]);
  });

  test('a baseline of something else is refused before a run is spent', async () => {
    const as = await createTestAgent(hub.ctx, { tokens: 10 });
    const json = { product: 'eval-run' };
    const { eval_job } = (await hub.fetch('/v1/redemptions', { token: as.bearerToken, json })).body;
    const ask = (baseline: string) =>
      evaluate(language, `--suite-file desk.yaml --cmd true --baseline ${baseline}`, { as });
    const open = await ask(eval_job.id);
    expect(open.complaints).toEndWith(
      `error: The run ${eval_job.id} of --baseline is queued. Name a completed run, or use latest.\n`,
    );
    const foreign = await ask('01900000-0000-7000-8000-000000000000');
    expect([open.exitCode, foreign.exitCode]).toEqual([2, 2]);
    expect(await runsOf(as)).toHaveLength(1);
  });
});
