/** Programs that do not reply to a case: it is an error in the store and in every report, and never passes. */
import { describe, expect, test } from 'bun:test';
import { languages, useEvaluateDoors } from '#test/harness/evaluate-doors.ts';

/** An empty text passes every case. */
const suite = `suite: 1
name: negative
cases:
  - { id: fine, prompt: 'fine?', expect: [{ contains: refund, not: true }] }
  - { id: exits, prompt: 'exits?', expect: [{ leaks: tulip-4711, not: true }] }
  - { id: crashes, prompt: 'crashes?', expect: [{ refuses: false }] }
  - { id: sleeps, prompt: 'sleeps?', expect: [{ tool_calls: [] }, { latency_s: 600 }] }
  - { id: floods, prompt: 'floods?', expect: [{ length: words, max: 50 }] }
`;
const each = `case "$(cat)" in
  exits*) echo partial; exit 9;;
  crashes*) kill -SEGV $$;;
  sleeps*) sleep 30;;
  floods*) head -c 300000 /dev/zero | tr '\\0' x;;
  *) echo fine;;
esac`;
/** Replies late, or with nothing that is a reply. */
const serve = `require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { case_id } = JSON.parse(line);
  const print = (fields) => console.log(JSON.stringify({ case_id, ...fields }));
  if (case_id === 'exits') print({});
  else if (case_id === 'crashes') print({ text: null });
  else if (case_id === 'floods') print({ error: 'The model is down.' });
  else if (case_id === 'sleeps') setTimeout(() => print({ text: 'late' }), 2500);
  else print({ text: 'fine' });
})`;

const { doors, evaluate, lastRunOf } = useEvaluateDoors({
  'negative.yaml': suite,
  'each.sh': each,
  'serve.cjs': serve,
});

describe.each(languages)('%s', (door) => {
  test.each([
    [
      'started for each case',
      ['--cmd', 'sh each.sh'],
      {
        exits: 'The program ended with exit code 9.',
        crashes: expect.stringMatching(/SIGSEGV|139/),
        sleeps: 'The program took longer than 1 s (--timeout).',
        floods: 'The program printed more than 262144 bytes.',
      },
    ],
    [
      'that serves',
      ['--cmd', 'node serve.cjs', '--serve'],
      {
        exits: 'The program printed a line without `text`.',
        crashes: 'The program printed a line without `text`.',
        sleeps: 'The program took longer than 1 s (--timeout).',
        floods: 'The model is down.',
      },
    ],
  ])(
    'a case to which a program %s does not reply is an error with its reason',
    async (_, program, reasons) => {
      const words = ['--suite-file', 'negative.yaml', ...program, '--timeout', '1', '--min-pass', '1'];
      const { agent, exitCode } = await evaluate(door, [...words, '--concurrency', '1']);
      expect((await lastRunOf(agent)).cases).toMatchObject([
        { case_id: 'fine', trials: [{ status: 'passed' }] },
        ...Object.entries(reasons).map(([case_id, error_message]) => ({
          case_id,
          trials: [{ status: 'error', graders: [], error_code: 'no_reply', error_message }],
        })),
      ]);
      expect(exitCode).toBe(1);
    },
  );

  test('a program that works on one case at a time is too slow for several, and the error names the flag', async () => {
    const cases = ['one', 'two'].map((id) => ({ id, prompt: id, expect: [{ equals: 'fine' }] }));
    await doors.write('slow.json', JSON.stringify({ suite: 1, name: 'slow', cases }));
    // It replies to the first of two, and never to the second.
    const program = `read -r line; read -r _; echo "$line" | sed 's/.*"case_id": *\\("[^"]*"\\).*/{"case_id":\\1,"text":"fine"}/'; sleep 60`;
    const words = ['--suite-file', 'slow.json', '--cmd', program, '--serve', '--timeout', '2'];
    const { agent } = await evaluate(door, [...words, '--concurrency', '2']);
    const { cases: shown } = await lastRunOf(agent);
    const trials: { status: string; error_message?: string }[] = shown.flatMap(
      (one: { trials: object[] }) => one.trials,
    );
    const late = trials.find(({ status }) => status === 'error');
    expect(trials.map(({ status }) => status).toSorted()).toEqual(['error', 'passed']);
    expect(late?.error_message).toBe(
      'The program took longer than 2 s (--timeout). Other cases were open before this one: if the program works on one at a time, add --concurrency 1.',
    );
  });

  test('a run in which nothing replied is not possible, and the JUnit document says why', async () => {
    await doors.write('two.yaml', suite.split('\n').slice(0, 5).join('\n').replace('negative', 'two'));
    const program = 'case "$(cat)" in *practice*) echo ready;; *) exit 9;; esac';
    const words = ['--suite-file', 'two.yaml', '--cmd', program, '--junit', `${door}-two.xml`];
    const { exitCode, complaints } = await evaluate(door, words);
    const reason = 'No case got a reply. The first reason: The program ended with exit code 9.';
    expect(complaints).toContain(reason);
    expect(exitCode).toBe(2);
    const xml = await doors.read(`${door}-two.xml`);
    expect(xml).toContain('tests="1" failures="0" errors="1"');
    expect(xml).toContain(`${reason} The run was refunded.`);
  });
});
