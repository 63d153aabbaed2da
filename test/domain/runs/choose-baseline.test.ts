/** What a report compares a run with: a case that is broken stays broken until it passes again or changes. */
import { describe, expect, test } from 'bun:test';
import { cancelRun } from '#domain/runs/cancel-run.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { overruleCase } from '#domain/runs/judging/overrule-case.ts';
import { reportRun } from '#domain/runs/report-run.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { writeText } from '#evals/report/text.ts';
import { createId } from '#runtime/create-id.ts';
import { whole } from '#test/evals/export/exported-runs.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import { rowOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { answerPulled } from '#test/harness/eval-runs.ts';
import { playSuiteRun, publishTestSuite, orderSuiteRun } from '#test/harness/suites.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';

interface Step {
  /**
   * The letters of the cases that pass, of `x` and `y`; after a slash, those that pass in one of three trials; in upper
   * case, those without a reply.
   */
  readonly passes: string;
  /** By default `main`; null for none. */
  readonly label?: string | null;
  readonly only?: string;
  /** What `x` asks from now on. */
  readonly x?: string;
}

interface Expected {
  /** The index of the run that is named as the baseline. */
  readonly with: number;
  /** The number of cases that are compared with other runs. */
  readonly others?: number;
  readonly broken?: readonly string[];
  readonly baseline?: string;
}

const good: Step = { passes: 'xy' };
const red: Step = { passes: 'y' };
const redPr: Step = { passes: 'y', label: 'pr' };
const changed: Step = { passes: 'y', x: 'Say another x.' };
const broken = ['x'];
/** `x` is compared with an earlier run than the second one, which is named. */
const second: Expected = { with: 1, others: 1, broken };
const latest = { baseline: 'latest' };
const situations: readonly (readonly [name: string, steps: readonly Step[], expected: Expected])[] = [
  ['a first red run', [good, red], { with: 0, broken }],
  ['the same code again', [good, red, red], second],
  ['and again', [good, red, red, red], { with: 2, others: 1, broken }],
  ['with `latest`', [good, red, red], { ...second, ...latest }],
  ['with `latest` and a label that only the red runs have', [good, redPr, redPr], { ...second, ...latest }],
  [
    'with `latest` and no label',
    [good, red, red].map((step) => ({ ...step, label: null })),
    { ...second, ...latest },
  ],
  ['a case that passes again', [good, red, good, good], { with: 2 }],
  ['the repair itself', [good, red, good], { with: 1 }],
  ['one repaired, another broken', [good, red, { passes: 'x' }], { with: 1, broken: ['y'] }],
  ['a case that changes', [good, changed, red], { with: 1 }],
  ['a case that changes and changes back', [good, changed, { ...red, x: 'Say x.' }], second],
  ['a case that never passed', [red, red, red], { with: 1 }],
  ['a branch whose baseline is red', [good, red, redPr], second],
  ['a branch whose baseline had an outage', [good, { passes: 'XY' }, redPr], { ...second, others: 2 }],
  ['a case that sinks by and by', [good, { passes: 'y/x' }, red], second],
  ['a case that is unsteady', [{ passes: 'y/x' }, { passes: 'y/x' }, red], { with: 1 }],
  [
    'a newer run of other cases, which all passed',
    [good, red, { passes: 'y', only: 'y' }, red],
    { ...second, others: 2 },
  ],
  [
    'runs of the same cases that are newer than one of all',
    [red, ...[good, good, red].map((step) => ({ ...step, only: 'x,y' }))],
    { with: 2, broken },
  ],
];

forEachStore((store) => {
  const ctx = useTestCtx(store);
  const as = useAgentCtx(ctx, { tokens: 200 });
  const ada = as.agent;

  async function publish(name: string, prompt: string): Promise<number> {
    const cases = ['x', 'y', 'constructor'].map((id) => ({
      id,
      prompt: id === 'x' ? prompt : `Say ${id}.`,
      expect: [{ equals: 'yes' }],
    }));
    const { version } = await publishTestSuite(as, { suite: 1, name, defaults: { trials: 3 }, cases });
    return version.version;
  }

  async function play(name: string, { passes, label = 'main', only, x }: Step): Promise<string> {
    const version = x === undefined ? {} : { version: await publish(name, x) };
    const [always = '', once = ''] = passes.split('/');
    const replyTo = (caseId: string) => {
      const [id = '', trial] = caseId.split('/');
      if (always.includes(id.toUpperCase())) return { error: 'It is down.' };
      const isRight = always.includes(id) || id === 'constructor' || (once.includes(id) && trial === '1');
      return { text: isRight ? 'yes' : 'no' };
    };
    return playSuiteRun(as, `@${ada.handle}/${name}`, replyTo, {
      ...version,
      ...(label === null ? {} : { label }),
      ...(only === undefined ? {} : { only }),
    });
  }

  const report = (runId: string, baseline: string) => reportRun(as, { runId, baseline, failOn: 'broken' });

  describe('a case is compared with the newest run in which it passed, if it fails:', () => {
    test.each(situations.map((row, index) => [...row, index] as const))(
      '%s',
      async (_, steps, { baseline = 'branch:main', ...expected }, index) => {
        const name = `desk-${index}`;
        await publish(name, 'Say x.');
        const ids: string[] = [];
        for (const step of steps) ids.push(await play(name, step));
        const { change, outcome } = await report(ids.at(-1) ?? '', baseline);
        expect({
          with: ids.indexOf(change?.baseline ?? ''),
          others: change?.chosen.others,
          broken: change?.broken,
        }).toEqual({ others: 0, broken: [], ...expected });
        expect(outcome).toBe(expected.broken === undefined ? 'held' : 'fell_short');
      },
    );
  });

  test('the report says how many cases are compared with other runs, and a named run is taken', async () => {
    await publish('many', 'Say x.');
    const ids: string[] = [];
    const text = async (baseline: string): Promise<string> =>
      whole(writeText(await report(ids.at(-1) ?? '', baseline)));
    for (const step of [good, red]) ids.push(await play('many', step));
    expect(await text('branch:main')).toContain('compared 3 of 3 cases. It is labelled main\n');
    // More than one batch of reads.
    for (let more = 0; more < 12; more += 1) ids.push(await play('many', red));
    // What is broken looks further back than what chance decides.
    expect((await report(ids.at(-1) ?? '', 'branch:main')).change).toMatchObject({ broken: ['x'], p: 1 });
    expect(await text('branch:main')).toContain(
      'It is labelled main. 1 case is compared with another run, in which it last passed or had a verdict\n',
    );
    expect((await report(ids.at(-1) ?? '', ids.at(-2) ?? '')).outcome).toBe('held');
  });

  test('a case that only its owner let pass breaks nothing, and one that the owner let fail was not sound', async () => {
    await publish('reviewed', 'Say x.');
    const overrule = (runId: string, caseId: string, passed: boolean) =>
      Promise.all(
        [1, 2, 3].map((trial) =>
          overruleCase(as, { runId, caseId, trial, passed, reason: 'I have read it.' }),
        ),
      );
    const main = await play('reviewed', red);
    await overrule(main, 'x', true);
    await overrule(main, 'y', false);
    const branch = await play('reviewed', { passes: '', label: 'pr' });
    for (const baseline of ['branch:main', main]) {
      const { change, outcome } = await report(branch, baseline);
      expect([baseline, change?.broken, outcome]).toEqual([baseline, [], 'held']);
    }
    expect((await showOwnRun(as, { runId: main })).result?.reviewed?.overruled).toEqual(['x', 'y']);
  });

  test('a case stays broken while it passed in one of the last hundred runs', async () => {
    await publish('long', 'Say x.');
    await play('long', good);
    const id = await play('long', red);
    const run = await rowOf(ctx, 'runs', { id });
    const scorecard = await rowOf(ctx, 'runScorecards', { runId: id });
    await ctx.db.transaction(async ({ query, tables: { runs, runScorecards } }) => {
      for (let copies = 0; copies < 98; copies += 1) {
        const copy = { id: createId(ctx.clock.now()), redemptionId: createId(ctx.clock.now()) };
        await query.insert(runs).values({ ...run, ...copy });
        await query.insert(runScorecards).values({ ...scorecard, runId: copy.id });
      }
    });
    const outcomes: unknown[] = [];
    for (let more = 0; more < 2; more += 1) {
      const { change, outcome } = await report(await play('long', red), 'branch:main');
      outcomes.push([outcome, change?.chosen.others]);
    }
    expect(outcomes).toEqual([
      ['fell_short', 1],
      ['held', 0],
    ]);
  });

  test('cases without a reply in the baseline are not compared', async () => {
    await publish('outage', 'Say x.');
    await play('outage', { passes: 'XY' });
    const branch = await play('outage', { passes: '', label: 'pr' });
    const { outcome, change, bars } = await report(branch, 'branch:main');
    expect(change).toMatchObject({ broken: [], reach: { compared: 1, cases: 3, ungraded: 2 } });
    expect([outcome, bars.at(-1)?.explanation]).toEqual([
      'fell_short',
      'compared 1 of 3 cases; 2 have no verdict in the earlier run; at least 50% must be comparable. If the suite was meant to change, add --min-compared 0 once',
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
    expect(await whole(writeText(shown))).toContain(
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

  test.each([
    ['none has a label', null, [], '. Add --label to runs of that branch'],
    [
      'others have labels',
      null,
      ['master', 'next'],
      '. Add --label to runs of that branch, or compare with one of the labels that runs have: master, next',
    ],
    ['the run itself is the first of its label', 'main', ['master'], ''],
    // The last run stays open.
    ['those of the label have not completed', 'pr', ['master', 'open:main'], ''],
  ])('a baseline without a run says what to do: %s', async (situation, label, labels, advice) => {
    const name = `bare-${situation.replaceAll(' ', '-')}`;
    await publish(name, 'Say x.');
    for (const other of labels) {
      const [, open] = other.split(':');
      if (open === undefined) await play(name, { ...good, label: other });
      else await orderSuiteRun(as, `@${ada.handle}/${name}`, { label: open });
    }
    const { bars } = await report(await play(name, { ...good, label }), 'branch:main');
    expect(bars[0]?.explanation).toBe(`there is no earlier run for the baseline branch:main${advice}`);
  });
});
