/** What changed between two runs, case by case: what broke comes first. */
import type { ShownTrial } from '#evals/own-suite/shown-run.ts';
import { percentText, roundRate } from '#evals/rates.ts';
import { reachText } from '#evals/report/bars.ts';
import { sourcesText, type VerdictSources } from '#evals/report/verdict-notes.ts';
import { whyNoReply } from '#evals/stored-item.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { ComparedRuns } from '#domain/runs/compare-runs.ts';
import { caseChanges, type ChangedCase } from '#domain/runs/cases/list-changed-cases.ts';
import type { Page } from '#domain/paging.ts';
import { Fact } from '../fact.tsx';
import { Link } from '../link.tsx';
import { Rows, Search, Tabs } from '../lists.tsx';
import { count, signed } from '../numbers.ts';
import { comparePath, runName, runPath, scoreText } from '../runs.tsx';
import { Difference } from '../word-diff.tsx';
import { cut, firstLine, Marks } from './cases.tsx';

const verdicts = {
  better: 'Better: the change is unlikely to be chance.',
  worse: 'Worse: the change is unlikely to be chance.',
  'no clear change': 'No clear change: what changed may be chance.',
  'not comparable': 'Nothing can be compared.',
} as const;

const changes = {
  broken: { name: 'broken', tone: 'bad' },
  flaky_now: { name: 'flaky now', tone: 'warn' },
  still_failing: { name: 'still failing', tone: 'bad' },
  fixed: { name: 'fixed', tone: 'good' },
} as const;

interface ComparisonProps {
  readonly compared: ComparedRuns;
  readonly page: Page<ChangedCase>;
}

export function SuiteComparison({ compared, page }: ComparisonProps) {
  const { before, after, verdict, p, reach, broken, fixed, metrics, sources, marks } = compared;
  const isCompared = verdict !== 'not comparable';
  // Scores of other cases say nothing about a change.
  const isOfSameCases = marks.every((of) => Object.keys(of).length === reach.compared);
  // Of the scores as they are shown.
  const change = roundRate(after.score ?? 0) - roundRate(before.score ?? 0);
  return (
    <>
      <section>
        <div class="figure">
          {isCompared && isOfSameCases ? (
            <div>
              <p class="numeral">{signed(change)}</p>
              <p class="facts">points of 100</p>
            </div>
          ) : null}
          <div>
            <p class="lead">{verdicts[verdict]}</p>
            {isCompared ? (
              <p class="soft">
                {count(broken.length, 'case')} broken, {fixed.length} fixed; {reachText(reach)}.{' '}
                {p < 0.001 ? 'p below 0.001' : `p\u00a0=\u00a0${Number(p.toFixed(3))}`}.
              </p>
            ) : (
              <p class="soft">
                Of the runs, {reachText(reach)}. Runs are compared by the cases that ask the same and are
                graded in the same way; a case with another id, text or grader is a new one.
              </p>
            )}
            {Object.entries(metrics).map(([name, shares]) => (
              <p key={name} class="small">
                {name}: {shareText(shares.before)} → {shareText(shares.after)}
              </p>
            ))}
            <dl class="facts-grid">
              <Side name="Before" run={before} sources={sources[0]} />
              <Side name="After" run={after} sources={sources[1]} />
            </dl>
            <p class="spaced-small small">
              <Link to={comparePath(after.id, before.id)}>Swap</Link>
            </p>
          </div>
        </div>
      </section>
      {isCompared ? <Cases compared={compared} page={page} /> : null}
    </>
  );
}

function Cases({ compared, page }: ComparisonProps) {
  return (
    <section>
      <div class="head">
        <h2 id="cases">Cases</h2>
        <Search label="Search cases" />
      </div>
      <Filters compared={compared} />
      <Rows items={page.items} empty="No case of this kind." nextCursor={page.nextCursor}>
        {(one) => <Case one={one} compared={compared} />}
      </Rows>
    </section>
  );
}

function shareText(share: number | null): string {
  return share === null ? 'none' : percentText(share);
}

interface SideProps {
  readonly name: string;
  readonly run: RunRow;
  readonly sources: VerdictSources;
}

function Side({ name, run, sources }: SideProps) {
  const others = sourcesText(sources);
  return (
    <Fact name={name}>
      <Link to={runPath(run)}>{runName(run)}</Link>: {scoreText(run)}, version {run.suiteVersion}
      {others === null ? '' : `; ${others}`}
    </Fact>
  );
}

function Filters({ compared }: { readonly compared: ComparedRuns }) {
  const tabs = caseChanges.map((change) => ({
    value: change,
    text: changes[change].name,
    count: compared[change].length,
  }));
  const all = tabs.reduce((sum, { count: cases }) => sum + cases, 0);
  return (
    <Tabs
      label="Change"
      name="change"
      tabs={[{ value: 'all', text: 'all', count: all }, ...tabs]}
      anchor="#cases"
    />
  );
}

/** Of a prompt, of what was expected and of a reply. */
const textMax = 300;

interface CaseProps {
  readonly one: ChangedCase;
  readonly compared: ComparedRuns;
}

function Case({ one, compared }: CaseProps) {
  const { case_id: id, title, change, prompt, before, after } = one;
  const earlier = before.find(({ status }) => status === 'passed') ?? before[0];
  const later = after.find(({ status }) => status !== 'passed') ?? after[0];
  const failed = [later, earlier]
    .flatMap((trial) => trial?.graders ?? [])
    .find(({ passed }) => passed === false);
  const expected = failed?.expected ?? null;
  const texts = [replyOf(earlier), replyOf(later)] as const;
  return (
    <li class={change}>
      <div class="grow">
        <span class="title">
          <span class={`chip ${changes[change].tone}`}>{changes[change].name}</span> {id}{' '}
          {title === null ? null : <bdi>{title}</bdi>}
        </span>
        {prompt === null ? null : (
          <span class="meta" dir="auto">
            {firstLine(prompt)}
          </span>
        )}
        <dl class="pair small">
          {expected === null ? null : (
            <div class="whole">
              <dt>Expected</dt>
              <dd dir="auto">{cut(expected, textMax)}</dd>
            </div>
          )}
          <div>
            <dt>
              <Link to={casePath(compared.before, id)}>Before</Link>{' '}
              <Marks statuses={before.map(({ status }) => status)} />
            </dt>
            <dd dir="auto">
              <Difference text={texts[0]} other={texts[1]} tag="del" />
            </dd>
          </div>
          <div>
            <dt>
              <Link to={casePath(compared.after, id)}>After</Link>{' '}
              <Marks statuses={after.map(({ status }) => status)} />
            </dt>
            <dd dir="auto">
              <Difference text={texts[1]} other={texts[0]} tag="ins" />
            </dd>
          </div>
        </dl>
      </div>
    </li>
  );
}

function replyOf(trial: ShownTrial | undefined): string {
  if (trial === undefined) return 'The reply is no longer stored.';
  const { status, response_text: text, tool_calls: calls = [] } = trial;
  if (status === 'error' && text === null) return `No reply: ${cut(whyNoReply(trial), textMax)}`;
  if (text !== null && text.trim() !== '') return cut(text, textMax);
  return calls.length === 0
    ? 'An empty reply.'
    : `Called ${cut(calls.map(({ name }) => name).join(', '), textMax)}.`;
}

function casePath(run: RunRow, id: string): string {
  return `${runPath(run)}?case=${encodeURIComponent(id)}#cases`;
}
