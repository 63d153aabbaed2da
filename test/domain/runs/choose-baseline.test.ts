/** Which earlier run a report compares a run with: what is broken on a label stays broken there. */
import { describe, expect, test } from 'bun:test';
import { cancelRun } from '#domain/runs/cancel-run.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { reportRun } from '#domain/runs/report-run.ts';
import { writeText } from '#evals/report/text.ts';
import { createId } from '#runtime/create-id.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import { rowOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { answerPulled } from '#test/harness/eval-runs.ts';
import { playSuiteRun, publishTestSuite, orderSuiteRun } from '#test/harness/suites.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';

interface Step {
  /** The letters of the cases that pass, of `x` and `y`. */
  readonly passes: string;
  /** By default `main`; null for none. */
  readonly label?: string | null;
  readonly only?: string;
  /** Publishes a version with another `x` first. */
  readonly changes?: boolean;
}

interface Expected {
  /** The index of the run that the last one is compared with. */
  readonly with: number;
  readonly over: number;
  readonly broken: readonly string[];
  readonly baseline?: string;
}

const good: Step = { passes: 'xy' };
const red: Step = { passes: 'y' };
const situations: readonly (readonly [name: string, steps: readonly Step[], expected: Expected])[] = [
  ['a first red run', [good, red], { with: 0, over: 0, broken: ['x'] }],
  ['the same code again', [good, red, red], { with: 0, over: 1, broken: ['x'] }],
  ['and again', [good, red, red, red], { with: 0, over: 2, broken: ['x'] }],
  ['with `latest`', [good, red, red], { with: 0, over: 1, broken: ['x'], baseline: 'latest' }],
  ['a case that passes again', [good, red, good, good], { with: 2, over: 0, broken: [] }],
  ['the repair itself', [good, red, good], { with: 0, over: 1, broken: [] }],
  ['one repaired, another broken', [good, red, { passes: 'x' }, good], { with: 0, over: 2, broken: [] }],
  ['a case that changes', [good, red, { passes: 'y', changes: true }, red], { with: 2, over: 0, broken: [] }],
  ['a case that never passed', [red, red, red], { with: 1, over: 0, broken: [] }],
  ['another label', [good, red, { passes: 'y', label: 'pr' }], { with: 1, over: 0, broken: [] }],
  [
    'no label, with `latest`',
    [good, red, red].map((step) => ({ ...step, label: null })),
    { with: 1, over: 0, broken: [], baseline: 'latest' },
  ],
  [
    'a newer run of some cases, which all passed',
    [good, red, { passes: 'y', only: 'y' }, red],
    { with: 0, over: 1, broken: ['x'] },
  ],
  [
    'runs of some cases only, one without the broken case',
    [good, red, { passes: 'y', only: 'y' }, red].map((step) => ({ only: 'x,y', ...step })),
    { with: 0, over: 2, broken: ['x'] },
  ],
];

forEachStore((store) => {
  const ctx = useTestCtx(store);
  const as = useAgentCtx(ctx, { tokens: 200 });
  const ada = as.agent;

  async function publish(name: string, prompt: string): Promise<void> {
    const cases = ['x', 'y', 'z'].map((id) => ({
      id,
      prompt: id === 'x' ? prompt : `Say ${id}.`,
      expect: [{ equals: 'yes' }],
    }));
    await publishTestSuite(as, { suite: 1, name, cases });
  }

  async function play(name: string, { passes, label = 'main', only, changes }: Step): Promise<string> {
    if (changes === true) await publish(name, 'Say another x.');
    const isRight = (id: string) => passes.includes(id) || id === 'z';
    return playSuiteRun(
      as,
      `@${ada.handle}/${name}`,
      (caseId) => ({ text: isRight(caseId.split('/')[0] ?? '') ? 'yes' : 'no' }),
      { ...(label === null ? {} : { label }), ...(only === undefined ? {} : { only }) },
    );
  }

  const report = (runId: string, baseline: string) => reportRun(as, { runId, baseline, failOn: 'broken' });

  describe('a run is compared with the newest run of its label in which no case broke:', () => {
    test.each(situations.map((row, index) => [...row, index] as const))(
      '%s',
      async (_, steps, { with: with_, over, broken, baseline = 'branch:main' }, index) => {
        const name = `desk-${index}`;
        await publish(name, 'Say x.');
        const ids: string[] = [];
        for (const step of steps) ids.push(await play(name, step));
        const { change, outcome } = await report(ids.at(-1) ?? '', baseline);
        expect([ids.indexOf(change?.baseline ?? ''), change?.chosen.passedOver, change?.broken]).toEqual([
          with_,
          over,
          broken,
        ]);
        expect(outcome).toBe(broken.length === 0 ? 'held' : 'fell_short');
      },
    );
  });

  test('the report says which runs were passed over, and a named run is taken', async () => {
    await publish('many', 'Say x.');
    const ids: string[] = [];
    const text = async (baseline: string): Promise<string> =>
      (await Array.fromAsync(writeText(await report(ids.at(-1) ?? '', baseline)))).join('');
    for (const step of [good, red]) ids.push(await play('many', step));
    expect(await text('branch:main')).toContain(
      'compared 3 of 3 cases. It is the newest run of all cases labelled main\n',
    );
    // More than one batch of reads.
    for (let more = 0; more < 12; more += 1) ids.push(await play('many', red));
    expect(await text('branch:main')).toContain(
      'compared 3 of 3 cases. 12 newer runs labelled main were passed over because cases broke there\n',
    );
    expect((await report(ids.at(-1) ?? '', ids.at(-2) ?? '')).outcome).toBe('held');
  });

  test('a case stays broken for a hundred red runs', async () => {
    await publish('long', 'Say x.');
    await play('long', good);
    const id = await play('long', red);
    const [run, scorecard] = [
      await rowOf(ctx, 'runs', { id }),
      await rowOf(ctx, 'runScorecards', { runId: id }),
    ];
    await ctx.db.transaction(async ({ query, tables: { runs, runScorecards } }) => {
      for (let copies = 0; copies < 99; copies += 1) {
        const copy = { id: createId(ctx.clock.now()), redemptionId: createId(ctx.clock.now()) };
        await query.insert(runs).values({ ...run, ...copy });
        await query.insert(runScorecards).values({ ...scorecard, runId: copy.id });
      }
    });
    const outcomes: unknown[] = [];
    for (let more = 0; more < 2; more += 1) {
      const { change, outcome } = await report(await play('long', red), 'branch:main');
      outcomes.push([outcome, change?.chosen.passedOver]);
    }
    expect(outcomes).toEqual([
      ['fell_short', 100],
      ['held', 0],
    ]);
  });

  test('cases without a reply in the baseline are not compared', async () => {
    await publish('outage', 'Say x.');
    const down = (caseId: string) => (caseId === 'z' ? { text: 'yes' } : { error: 'It is down.' });
    await playSuiteRun(as, `@${ada.handle}/outage`, down, { label: 'main' });
    const { outcome, change, bars } = await report(
      await play('outage', { passes: '', label: 'pr' }),
      'branch:main',
    );
    expect(change).toMatchObject({ broken: [], reach: { compared: 1, cases: 3, ungraded: 2 } });
    expect([outcome, bars.at(-1)?.explanation]).toEqual([
      'fell_short',
      'compared 1 of 3 cases; 2 have no verdict in one of the runs; at least 50% must be comparable',
    ]);
  });

  test('a run that was cancelled and is compared with none decides nothing', async () => {
    await publish('cancelled', 'Say x.');
    const { id: runId } = await orderSuiteRun(as, `@${ada.handle}/cancelled`, { label: 'main' });
    const [first] = (await handOutCases(as, { runId, limit: 1 })).cases;
    await answerPulled(as, runId, [{ caseId: first?.caseId ?? '', text: 'yes' }]);
    await cancelRun(as, { runId });
    const shown = await report(runId, 'branch:main');
    expect(shown.outcome).toBe('not_possible');
    expect((await Array.fromAsync(writeText(shown))).join('')).toContain(
      'NOT POSSIBLE: the run ended before all cases were answered, and neither --min-pass nor --min-score nor an earlier run measures it.\n',
    );
  });

  test('`latest` is the newest completed run of the suite', async () => {
    for (const name of ['near', 'far']) await publish(name, 'Say x.');
    const first = await play('near', good);
    await play('far', good);
    const { id: runId } = await orderSuiteRun(as, `@${ada.handle}/near`, {});
    await handOutCases(as, { runId, limit: 1 });
    await cancelRun(as, { runId });
    await orderSuiteRun(as, `@${ada.handle}/near`, {});
    const last = await play('near', good);
    expect((await report(last, 'latest')).change?.baseline).toBe(first);
  });

  async function explained(name: string, steps: readonly Step[]): Promise<string | undefined> {
    await publish(name, 'Say x.');
    let runId = '';
    for (const step of steps) runId = await play(name, step);
    return (await report(runId, 'branch:main')).bars[0]?.explanation;
  }

  test('where no run of the suite has the label of the baseline, a run without a label says what to add', async () => {
    const none = 'there is no earlier run for the baseline branch:main';
    const unlabelled = { ...good, label: null };
    expect(await explained('bare', [unlabelled, unlabelled])).toBe(
      `${none}. Add --label main to runs of that branch`,
    );
    expect(await explained('labelled', [good])).toBe(none);
  });
});
