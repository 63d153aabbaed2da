/** `hub suite`: what a person sees who writes a suite. */
import { expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runHubCommand } from '#test/harness/hub-command.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';

const folder = useTestFolder();

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function hub(...words: readonly string[]) {
  const { printed, complaints, exitCode } = await runHubCommand(['suite', ...words]);
  return { out: printed, error: complaints, code: exitCode };
}

const table = `suite: 1
name: capitals
template: What is the capital of {{country}}?
defaults: { expect: [{ equals: '{{capital}}' }] }
cases: { file: cases.csv }
`;

const guide = readFileSync(join(import.meta.dirname, '../../docs/suites.md'), 'utf8');
const [example = '', shorter = '', judged = ''] = [...guide.matchAll(/```yaml\n(suite: 1[^]*?)```/g)].map(
  ([, text]) => text,
);

test('the examples of the guide are checked with the files that they name', async () => {
  write('common.yaml', 'defaults: { tags: [shop] }\ncases: [{ id: c, prompt: Hi, vars: { most: 1 } }]\n');
  write('cases.csv', 'country,capital\nFrance,Paris\nSpain,Madrid\n');
  for (const [name, text, cases] of [
    ['example.yaml', example, 3],
    ['shorter.yaml', shorter, 3],
    ['table.yaml', table, 2],
  ] as const) {
    const { out, code } = await hub('check', write(name, text), '--json');
    expect([name, JSON.parse(out), code]).toMatchObject([name, { ok: true, faults: [], size: { cases } }, 0]);
  }
  write('cases.csv', 'id,country,capital\na b,France,Paris\n');
  const { out } = await hub('check', write('table.yaml', table));
  expect(out).toMatch(/cases\.csv:2:1 {2}cases\[0\]: `id` must have 1 to 64 letters/);
});

test('the example with judges of the runner names them', async () => {
  const { out, code } = await hub('check', write('judged.yaml', judged));
  expect([out, code]).toEqual([
    expect.stringMatching(/Whoever runs it brings the judges tone, code\.\nThe suite has no faults\.\n$/),
    0,
  ]);
});

test('cases without an id are counted in a warning, which is no fault', async () => {
  const { out, code } = await hub('check', write('unnamed.yaml', example.replace('- id: total\n    ', '- ')));
  expect(out).toContain('unnamed.yaml: Warning: `id` is missing in 1 of 3 cases.');
  expect(out).toContain('The suite has no faults, but 1 warning.');
  expect(code).toBe(0);
});

test('faults are printed with file, line and column, and the exit code is 1', async () => {
  const faulty = write('faulty.yaml', example.replace('weight: 2', 'wieght: 2'));
  const { out, code } = await hub('check', faulty);
  expect(out).toContain(
    `${faulty}:13:5  cases[0]: \`wieght\` is not a known field. Did you mean \`weight\`?`,
  );
  expect(code).toBe(1);
});

test('faults of the head, of fields, of graders and of replies are found together, in the order of the text', async () => {
  const faulty = write(
    'many.yaml',
    example
      .replace('name: refund-desk', 'name: Bad Name')
      .replace("['refund.']", "['voucher']")
      .replace('expect: [{ number: 25.88, within: 0.005 }]', 'expekt: []')
      .replace('- id: routing', '- id: routing\n    wieght: 2')
      .replace('name: route, arguments', 'nam: route, arguments'),
  );
  const { out } = await hub('check', faulty);
  const found = [
    '`name` must have 3 to 64',
    'many.yaml:17:16  accepted[0] of case "late-parcel" must pass',
    'cases[1]: `expect`',
    'cases[1]: `expekt` is not a known field',
    'cases[2]: `wieght` is not a known field',
    'cases[2].expect[0]',
  ];
  const places = found.map((message) => out.indexOf(message));
  expect(places[0]).toBeGreaterThanOrEqual(0);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});

test('several files are checked in one run, and one fault in any of them is exit code 1', async () => {
  const sound = write('sound.yaml', example);
  const faulty = write('one-fault.yaml', example.replace('weight: 2', 'wieght: 2'));
  const both = await hub('check', sound, faulty);
  for (const said of [`${sound}:\n`, `${faulty}:13:5  cases[0]: \`wieght\``])
    expect(both.out).toContain(said);
  expect(both.code).toBe(1);
  const listed = await hub('check', sound, faulty, '--json');
  expect(JSON.parse(listed.out)).toMatchObject([
    { file: sound, ok: true },
    { file: faulty, ok: false },
  ]);
});

test('a file in another encoding is refused with its line, or read as it is said', async () => {
  const file = join(folder, 'latin1.csv');
  writeFileSync(file, Buffer.from('prompt,expected\nWho?,Ada\nWo?,Köln\n', 'latin1'));
  const read = (...flags: string[]) => hub('import', file, '--from', 'csv', ...flags);
  const refused = await read();
  expect(refused.code).not.toBe(0);
  expect(refused.error).toContain('latin1.csv:3  The file is not utf-8.');
  const { out, code } = await read('--encoding', 'latin1');
  expect([code, out]).toEqual([0, expect.stringContaining('equals: Köln')]);
  expect((await read('--encoding', 'x')).error).toContain('--encoding');
  const mapped = await read('--encoding', 'latin1', '--map', 'prompt=expected,expected=prompt');
  expect(mapped.out).toContain('equals: Who?');
});

test('an import prints a suite that passes the check, and says on standard error what is lost', async () => {
  const source = write('tests.csv', 'prompt,expected,note\n2+2?,4,x\n');
  const { out, error, code } = await hub('import', source, '--name', 'sums');
  expect(code).toBe(0);
  expect(error).toContain(`${source}:1  column note: `);
  expect(error).toContain('`id` is missing in 1 of 1 case.');
  expect(error).toContain('1 case imported, 0 left out, 1 construct without a counterpart.');
  expect((await hub('check', write('sums.yaml', out))).code).toBe(0);
});

test('code of the source is written beside the suite, and what it needs is said', async () => {
  const assertion = '{ type: javascript, value: "true" }';
  const source = write('code.yaml', `prompts: [hi]\ntests: [{ assert: [${assertion}] }]\n`);
  const [out, judge] = [join(folder, 'coded.yaml'), join(folder, 'coded.judges.cjs')];
  const words = ['import', source, '--name', 'coded', '--out', out] as const;
  const { error, code } = await hub(...words);
  const said = `${judge} has code of the source, which judges run. It needs Node 18 or later.`;
  expect([code, error]).toEqual([0, expect.stringContaining(said)]);
  expect(readFileSync(out, 'utf8')).toMatch(/command: node coded\.judges\.cjs javascript-[0-9a-f]{8}\n/);
  expect((await hub('check', out)).code).toBe(0);
  writeFileSync(judge, `${readFileSync(judge, 'utf8')}// changed`);
  expect((await hub(...words)).code).toBe(0);
  expect(readFileSync(judge, 'utf8')).not.toContain('// changed');
  writeFileSync(judge, '// mine');
  expect((await hub(...words)).error).toContain('coded.judges.cjs exists, and no import wrote it.');
});

test('an import replaces only what an import wrote, and refuses what it cannot read', async () => {
  const source = write('more.csv', 'prompt,expected\n2+2?,4\n');
  const out = join(folder, 'again.yaml');
  expect((await hub('import', source, '--out', out)).code).toBe(0);
  write('more.csv', 'prompt,expected\n2+3?,5\n');
  expect((await hub('import', source, '--out', out)).code).toBe(0);
  expect(readFileSync(out, 'utf8')).toMatch(/^# Written by [^\n]*\nsuite: 1\n[^]*prompt: 2\+3\?/);
  const mine = readFileSync(out, 'utf8').replace(/^.*\n/, '');
  const taken = write('taken.yaml', mine);
  expect((await hub('import', source, '--out', taken)).code).not.toBe(0);
  expect(readFileSync(taken, 'utf8')).toBe(mine);
  expect((await hub('import', write('more.jsonl', '{}'))).error).toContain('Add --from.');
  const excel = await hub('import', source, '--from', 'excel');
  expect(excel.error).toContain('--from must be one of inspect, promptfoo');
  expect((await hub('import', write('bad.csv', 'a,b\n'), '--from', 'csv')).code).toBe(1);
  write('twice.csv', 'a,a\n');
  const named = await hub('import', write('names.yaml', 'prompts: [x]\ntests: twice.csv\n'));
  expect(named).toMatchObject({
    code: 1,
    out: expect.stringContaining('twice.csv:1:1  The first line names'),
  });
  expect((await hub('check', join(folder, 'missing.yaml'))).error).toContain('does not exist');
});
