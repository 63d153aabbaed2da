/** Every export format with hostile texts: what other tools read is well formed and says the same. */
import { expect, test } from 'bun:test';
import { Ajv } from 'ajv';
import { parse as parseCsv } from 'csv-parse/sync';
import { exportEveryEvalEver } from '#evals/export/every-eval-ever.ts';
import { exportInspect, inspectFileName } from '#evals/export/inspect.ts';
import { exportJunit } from '#evals/export/junit.ts';
import { exportCsv, exportJsonl } from '#evals/export/lines.ts';
import type { ExportedRun } from '#evals/export/run-export.ts';
import { requireTool } from '#cli/bootstrap/test-tools.mjs';
import { createRandom } from '#evals/random.ts';
import { attacked, failed, hostile, item, mixed, runOf, trial, whole } from './exported-runs.ts';
import { everyEvalEverContract, inspectContract, junitContract } from './contracts.ts';

const now = new Date('2026-02-03T04:05:06Z');
/** By the rules of RFC 4180. */
const readCsv = (text: string): string[][] => parseCsv(text, { record_delimiter: '\r\n' });

test('JSONL has a line for each item and trial, with texts as they were except half surrogate pairs', async () => {
  const rows = async (run: ExportedRun) =>
    (await whole(exportJsonl(run)))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  expect((await rows(mixed)).map(({ id, trial: n, status }) => [id, n, status])).toEqual([
    ['good', 1, 'passed'],
    ['flaky', 1, 'failed'],
    ['flaky', 2, 'passed'],
    ['bad', 1, 'failed'],
    ['bad', 2, 'failed'],
    ['bad', 3, 'error'],
    ['secret', 1, 'failed'],
    ['unjudged', 1, 'ungraded'],
  ]);
  expect((await rows(attacked)).map(({ reply }) => reply)).toEqual(
    hostile.map((text) => text.toWellFormed()),
  );
});

test('CSV survives a reader of RFC 4180, and no text of it is a formula', async () => {
  const [head, ...rows] = readCsv(await whole(exportCsv(attacked)));
  expect(head?.join()).toBe(
    'run_id,name,id,trial,tags,status,share,expected,found,explanation,reply,error,latency_ms,input_tokens,output_tokens,judged_by,review,lost_assertions,earlier,calls,shortened',
  );
  expect(rows[0]?.slice(1, 3)).toEqual(['i-0', 'i-0']);
  const replies = rows.map((cells) => cells[10] ?? '');
  expect(replies).toEqual(hostile.map((text, n) => (n < 6 ? `'${text}` : text).toWellFormed()));
  expect(rows.flat().filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([]);
});

test('CSV has no formula for a reader of any other separator, with or without quotation marks', async () => {
  const formulas = ['=1+1', '+1', '-1', '@A1', '\uff1d1', '\uff0b1', '\uff0d1', '\uff201'];
  const starts = ['', ';', 'a;', 'a\n', 'a\r\n', 'a\r', 'a\t', 'a; ', 'a;"', 'a;""', '"', '";"', ' ', '\n\n'];
  const texts = [...starts, 'a;\u00a0'].flatMap((start) => formulas.map((formula) => start + formula));
  const run = runOf(
    texts.map((text) => ({
      ...item(text, [trial({ expected: text, found: `${text};${text}`, explanation: text, reply: text })]),
      tags: ['a', text],
      lost: [text],
    })),
  );
  const csv = await whole(exportCsv(run));
  for (const separators of [/[;\r\n]/, /[\t\r\n]/, /[;\t\r\n]/]) {
    const cells = csv.split(separators).flatMap((cell) => [cell, cell.replace(/^[\s"]+/, '')]);
    expect(cells.filter((cell) => /^[=+\-@\uff1d\uff0b\uff0d\uff20]/.test(cell))).toEqual([]);
  }
  // LibreOffice proposes all three.
  for (const delimiter of [[','], [',', ';', '\t']]) {
    const rows = parseCsv(csv, { delimiter, record_delimiter: '\r\n' });
    expect(rows.map((cells) => cells.length)).toEqual(Array(texts.length + 1).fill(21));
  }
});

test('CSV changes no text in which a sign stands within a line', async () => {
  const plain = ['a=b', 'a - b', 'x, -5, =y', 'me@example.com', '1;2', "it's", '; a', '"quoted" +1'];
  const csv = await whole(exportCsv(runOf(plain.map((reply, n) => item(`i-${n}`, [trial({ reply })])))));
  const [, ...rows] = readCsv(csv);
  expect(rows.map((cells) => cells[10])).toEqual(plain);
});

test('JUnit counts items, shows flaky ones as passed, and lists every further trial', async () => {
  const xml = await whole(exportJunit(mixed));
  expect(xml).toContain('<testsuite name="@ada/desk 3" tests="5" failures="2" errors="1"');
  const tags = ['testcase', 'failure', 'flakyFailure', 'rerunFailure', 'rerunError'];
  expect(tags.map((tag) => xml.split(`<${tag}`).length - 1)).toEqual([5, 2, 1, 1, 1]);
  const secret = xml.slice(xml.indexOf('name="secret"'), xml.indexOf('name="unjudged"'));
  expect(secret).not.toMatch(/expected|found/);
});

const wordsOf = (names: string) => names.split(' ').filter((name) => name !== '');

/** What a document in XML has that the contract of JUnit does not allow. */
function junitFaults(xml: string): readonly string[] {
  const faults: string[] = [];
  const open: { name: string; children: string[] }[] = [];
  const contractOf = (name: string) => junitContract[name] ?? { required: '', optional: '', children: '' };
  const end = () => {
    const { name = '', children = [] } = open.pop() ?? {};
    const { isSequence, children: order } = contractOf(name);
    const places = children.map((child) => wordsOf(order).indexOf(child));
    if (isSequence === true && places.some((place, at) => at > 0 && place <= (places[at - 1] ?? 0)))
      faults.push(`${name} has ${children.join(', ')}`);
  };
  for (const [tag, closing, name = '', given = ''] of xml.matchAll(
    /<(\/?)([a-zA-Z-]+)((?: [a-z]+="[^"]*")*)\/?>/g,
  )) {
    if (closing === '/') {
      end();
      continue;
    }
    const parent = open.at(-1);
    parent?.children.push(name);
    if (parent !== undefined && !wordsOf(contractOf(parent.name).children).includes(name))
      faults.push(`${parent.name} has ${name}`);
    const [required, optional] = [contractOf(name).required, contractOf(name).optional].map(wordsOf);
    const attributes = Array.from(given.matchAll(/ ([a-z]+)="/g), ([, attribute = '']) => attribute);
    const known = [...required!, ...optional!];
    for (const one of required!) if (!attributes.includes(one)) faults.push(`${name} lacks ${one}`);
    for (const one of attributes) if (!known.includes(one)) faults.push(`${name} has ${one}=`);
    const time = / time="([^"]*)"/.exec(given)?.[1] ?? '';
    if (!/^[0-9]*(?:\.[0-9]*)?$/.test(time)) faults.push(`${name} takes ${time}`);
    open.push({ name, children: [] });
    if (tag.endsWith('/>')) end();
  }
  return faults;
}

test('JUnit has only what the schema of Jenkins allows', async () => {
  for (const run of [mixed, attacked, runOf([])])
    expect(junitFaults(await whole(exportJunit(run)))).toEqual([]);
});

/** What another parser of XML reads as the contents of failures; it refuses what is not well-formed. */
function contentsOf(xml: string): readonly string[] {
  const program = `import sys, json, xml.dom.minidom
found = xml.dom.minidom.parseString(sys.stdin.buffer.read()).getElementsByTagName("failure")
print(json.dumps(["".join(n.data for n in one.childNodes) for one in found]))`;
  const { stdout, stderr, success } = Bun.spawnSync([requireTool('python3'), '-c', program], {
    stdin: new TextEncoder().encode(xml),
  });
  if (!success) throw new Error(stderr.toString());
  return JSON.parse(stdout.toString());
}

test('JUnit with 500 random replies is read by a parser of XML, each with reply and address in its content', async () => {
  const seed = process.env['TEST_SEED'] ?? `${Date.now()}`;
  process.stdout.write(`seed ${seed}\n`);
  const random = createRandom(seed, 'junit');
  const odd = [
    0, 8, 0xb, 0x1b, 0x7f, 0x85, 0x2028, 0xd800, 0xdfff, 0xfdd0, 0xfeff, 0xfffe, 0xffff, 0x1fffe, 0x10ffff,
  ];
  const character = () =>
    String.fromCodePoint(random.chance(0.5) ? random.pick(odd) : random.int(0, 0x10ffff));
  const replies = Array.from(
    { length: 500 },
    (_, at) => `<${at}>${Array.from({ length: random.int(0, 30) }, character).join('')}]]>&amp;`,
  );
  const run = runOf(
    replies.map((reply, at) => item(`${reply.slice(-9)}${at}`, [trial({ ...failed, reply, found: reply })])),
  );
  const contents = contentsOf(await whole(exportJunit(run)));
  expect(contents).toHaveLength(replies.length);
  for (const [at, content] of contents.entries()) {
    expect(content).toContain(`reply: <${at}>`);
    expect(content).toEndWith(']]>&amp;\nrun: https://hub.example/me/runs/r-1');
  }
});

test('JUnit names classes without the version, and a trial without a reply as an error with its reason', async () => {
  const error = { status: 'error', share: 0, error: 'no_reply', reply: null } as const;
  const silent = trial({ ...error, explanation: 'exit code 9' });
  const xml = await whole(exportJunit(runOf([item('silent', [silent])])));
  expect(xml).toContain('tests="1" failures="0" errors="1"');
  expect(xml).toContain('<testcase name="silent" classname="@ada/desk"');
  expect(xml).toMatch(/<error [^>]*type="no_reply">no reply: exit code 9&#10;/);
});

test.each([
  ['not_possible', 'error', 'failures="0" errors="1"'],
  ['fell_short', 'failure', 'failures="1" errors="0"'],
] as const)('JUnit is red if the outcome is %s, though each case passed', async (outcome, tag, counts) => {
  const notHeld = { outcome, why: '--min-compared 0.5: none of 1 case can be compared' };
  const xml = await whole(exportJunit(runOf([item('said', [trial()])]), { notHeld }));
  expect(junitFaults(xml)).toEqual([]);
  expect(xml).toContain(`tests="2" ${counts}`);
  expect(xml).toContain(`<${tag} message="${notHeld.why}" type="${outcome}">`);
});

test('JUnit shows a trial without a verdict as an error with its reason', async () => {
  const unheard = trial({ status: 'ungraded', share: 0, explanation: 'The judge did not respond.' });
  const xml = await whole(exportJunit(runOf([item('unheard', [unheard])])));
  expect(junitFaults(xml)).toEqual([]);
  expect(xml).toContain('tests="1" failures="0" errors="1"');
  expect(xml).toMatch(/<error [^>]*type="ungraded">The judge did not respond\./);
});

test('JUnit and CSV name cases by their titles, which need not differ, beside the ids', async () => {
  const titles = ['Spät & teuer', 'Twice', 'Twice', 'case-4', undefined];
  const items = titles.map((title, n) => {
    return { ...item(`case-${n}`, [trial()]), ...(title === undefined ? {} : { title }) };
  });
  const run = runOf(items);
  const xml = await whole(exportJunit(run));
  expect(junitFaults(xml)).toEqual([]);
  for (const name of [
    'Spät &#38; teuer" group="case-0"',
    'Twice (case-1)" group="case-1"',
    'Twice (case-2)"',
    'case-4 (case-3)" group="case-3"',
    'case-4" classname',
  ])
    expect(xml).toContain(`<testcase name="${name}`);
  const [, first] = readCsv(await whole(exportCsv(run)));
  expect(first?.slice(1, 3)).toEqual(['Spät & teuer', 'case-0']);
});

function expectToMatch(contract: object, value: unknown): void {
  const matches = new Ajv({ strict: false, allErrors: true }).compile(contract);
  matches(value);
  expect(matches.errors).toBeNull();
}

test('the log for Inspect has every field of its format, and nothing else', async () => {
  for (const run of [mixed, attacked, runOf([])]) {
    const log = JSON.parse(await whole(exportInspect(run)));
    expectToMatch(inspectContract, log);
    const items = await Array.fromAsync(run.items());
    expect(log.samples).toHaveLength(items.flatMap(({ trials }) => trials).length);
  }
  const { samples, results } = JSON.parse(await whole(exportInspect(mixed)));
  const counts = [{ scored_samples: 8, unscored_samples: 0 }];
  expect(results).toMatchObject({ completed_samples: 8, scores: counts });
  const scores = (agent_hub: object) => ({ scores: { agent_hub } });
  expect(samples[2]).toMatchObject({ id: 'flaky', epoch: 2, ...scores({ value: 1, answer: 'hello' }) });
  expect(samples[6]).toMatchObject({ target: '', ...scores({ answer: null, explanation: null }) });
  expect(samples[7]).toMatchObject({ ...scores({ value: 0 }), metadata: { status: 'ungraded' } });
  expect(inspectFileName(mixed)).toMatch(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\+00-00_run_r-1\.json$/);
});

test('the log for Inspect has the whole conversation, and scores as the run counts them', async () => {
  const calls = [{ name: 'refund', arguments: { id: 7 } }];
  const last = trial({ ...failed, share: 0.75, reply: 'two', earlier: ['one'], calls });
  const asked = { system: 'Be brief.', turns: ['first', 'second'] };
  const run = runOf([{ ...item('talk', [last]), prompt: 'first\n\nsecond', asked }]);
  const log = JSON.parse(await whole(exportInspect(run)));
  expectToMatch(inspectContract, log);
  const [{ messages, scores }] = log.samples;
  const said = messages.map(({ role, content }: Record<string, string>) => `${role}: ${content}`);
  const turns = ['user: first', 'assistant: one', 'user: second', 'assistant: two'];
  expect(said).toEqual(['system: Be brief.', ...turns]);
  expect(messages[4].tool_calls).toMatchObject([{ function: 'refund', arguments: { id: 7 } }]);
  expect(scores.agent_hub).toMatchObject({ value: 0, metadata: { share: 0.75 } });
});

test('the record for Every Eval Ever has what its schema requires, and only texts in its details', async () => {
  const record = JSON.parse(await whole(exportEveryEvalEver(mixed, now)));
  expectToMatch(everyEvalEverContract, record);
  expect(record.evaluation_results[0].score_details).toMatchObject({
    score: 61.5,
    uncertainty: { confidence_interval: { lower: 40, upper: 80 }, num_samples: 5 },
  });
});
