/**
 * The cases of a run, those that did not pass first: links that filter them, and for each case what the graders
 * expected beside what they found. Texts are cut, so that a page stays small whatever a suite or an agent writes.
 */
import type { Review, RunnerVerdict, ShownTrial } from '#evals/own-suite/shown-run.ts';
import { hasReply, whyNoReply } from '#evals/stored-item.ts';
import type { CasePage, ListedCase } from '#domain/runs/cases/list-cases.ts';
import { isSplit } from '#evals/own-suite/judges.ts';
import { type CaseVerdict, caseVerdicts, statusesOf } from '#evals/own-suite/trial-marks.ts';
import { showTime } from '#evals/safe-text.ts';
import { useView } from '../../view.ts';
import { Field } from '../field.tsx';
import { FoldedForm } from '../form.tsx';
import { Link } from '../link.tsx';
import { addressOf, Rows, Search, Tabs } from '../lists.tsx';
import { count } from '../numbers.ts';

const signs = { passed: '✓', failed: '✗', error: '!', flaky: '~', ungraded: '?' } as const;
const tones = { passed: 'good', failed: 'bad', error: 'warn', flaky: 'warn', ungraded: 'warn' } as const;

/** The query of a page with `SuiteCases`. */
export const caseQuery = {
  verdict: caseVerdicts,
  tag: 'search',
  case: 'search',
  q: 'search',
  open: ['all'],
  cursor: 'cursor',
} as const;

export const casesPerPage = 20;

/** The filter that the query of a page asks for. */
export function filterOf(query: Readonly<Record<keyof typeof caseQuery, string | undefined>>) {
  const verdict = caseVerdicts.find((one) => one === query.verdict);
  return { verdict, tag: query.tag, caseId: query.case, words: query.q };
}

/** Characters of a text, and graders, that a page shows: of a case in the list, and of one by itself. */
const limits = {
  listed: { prompt: 300, reply: 400, finding: 200, graders: 6 },
  whole: { prompt: 4_000, reply: 4_000, finding: 500, graders: 32 },
} as const;
type Limits = (typeof limits)[keyof typeof limits];

const tagsShownMax = 24;

interface SuiteCasesProps {
  readonly page: CasePage;
  /** Whether the viewer may overrule verdicts, on the page of a case. */
  readonly mayOverrule: boolean;
}

export function SuiteCases({ page, mayOverrule }: SuiteCasesProps) {
  const { path, query } = useView();
  const isWhole = query['case'] !== undefined;
  return (
    <section class="spaced">
      <div class="head">
        <h2 id="cases">Cases</h2>
        {isWhole ? <Link to={`${path}#cases`}>All cases</Link> : <Search label="Search cases" />}
      </div>
      {isWhole ? null : <Filters page={page} />}
      <Rows items={page.items} empty="No case matches." nextCursor={page.nextCursor}>
        {(one) => (
          <CaseRow one={one} isWhole={isWhole} hasPage={!isWhole} mayOverrule={isWhole && mayOverrule} />
        )}
      </Rows>
    </section>
  );
}

function Filters({ page: { verdicts, tags } }: { readonly page: CasePage }) {
  const { path, query } = useView();
  const { cursor: _cursor, open, ...kept } = query;
  const all = [...verdicts.values()].reduce((sum, one) => sum + one, 0);
  const known = caseVerdicts.filter((verdict) => verdicts.has(verdict) || verdict === kept['verdict']);
  const listed = [...tags].toSorted(([, one], [, other]) => other - one).slice(0, tagsShownMax);
  return (
    <>
      <Tabs
        label="Verdict"
        name="verdict"
        tabs={[
          { value: 'all', text: 'all', count: all },
          ...known.map((verdict) => ({ value: verdict, text: verdict, count: verdicts.get(verdict) ?? 0 })),
        ]}
        anchor="#cases"
      >
        <span class="unprinted" data-expands>
          <Link to={`${addressOf(path, { ...kept, open: open === undefined ? 'all' : undefined })}#cases`}>
            {open === undefined ? 'Expand all' : 'Collapse all'}
          </Link>
        </span>
      </Tabs>
      {tags.size === 0 && kept['tag'] === undefined ? null : (
        <Tabs
          label="Tag"
          name="tag"
          tabs={[
            { value: '', text: 'all tags' },
            ...listed.map(([tag, cases]) => ({ value: tag, text: tag, count: cases })),
          ]}
          anchor="#cases"
        />
      )}
    </>
  );
}

interface CaseRowProps {
  readonly one: ListedCase;
  readonly isWhole?: boolean;
  /** Whether the case has a page of its own. */
  readonly hasPage?: boolean;
  readonly mayOverrule?: boolean;
}

export function CaseRow({ one, isWhole = false, hasPage = false, mayOverrule = false }: CaseRowProps) {
  const { path, query } = useView();
  const { case_id: id, title, verdict, marks, tags, weight, prompt, trials, lost = [] } = one;
  const statuses = statusesOf(marks);
  // In a list, the first trial that did not pass stands for all.
  const typical = trials.find(({ status }) => status !== 'passed') ?? trials[0];
  const shown = isWhole ? trials : typical === undefined ? [] : [typical];
  const most = isWhole ? limits.whole : limits.listed;
  return (
    <li class={verdict}>
      <details class="grow" open={isWhole || query['open'] !== undefined}>
        <summary>
          <VerdictChip verdict={verdict} /> {id} {title === undefined ? null : <bdi>{title}</bdi>}
          {lost.length === 0 ? null : <span class="chip warn">{count(lost.length, 'lost assertion')}</span>}
          <span class="meta">
            {statuses.length === 1 ? null : <Marks statuses={statuses} />}
            {statuses.length === 1 ? '' : ' · '}
            {[
              ...tags,
              ...(weight === 1 ? [] : [`weight ${weight}`]),
              ...timeOf(typical),
              ...othersIn(trials),
            ].join(' · ')}
          </span>
          {isWhole || prompt === null ? null : (
            <span class="meta" dir="auto">
              {firstLine(prompt)}
            </span>
          )}
          {isWhole || typical === undefined ? null : <Fault trial={typical} />}
        </summary>
        {prompt === null ? null : <Text title="Prompt" text={prompt} max={most.prompt} />}
        <Lost assertions={lost} />
        {shown.map((trial) => (
          <>
            <TrialPart key={trial.trial} trial={trial} isOnly={statuses.length === 1} most={most} />
            {mayOverrule && hasReply(trial) ? <Overrule caseId={id} trial={trial} /> : null}
          </>
        ))}
        {trials.length > 0 ? null : <p class="soft">The replies of this run are no longer stored.</p>}
        {!hasPage ? null : (
          <p class="small">
            <Link to={`${path}?case=${encodeURIComponent(id)}#cases`}>
              {statuses.length > 1 ? `All ${statuses.length} trials of ${id}` : `All of ${id}`}
            </Link>
          </p>
        )}
      </details>
    </li>
  );
}

/** Assertions that the import of a suite left out. */
export function Lost({ assertions }: { readonly assertions: readonly string[] }) {
  if (assertions.length === 0) return null;
  return (
    <p class="warn small" dir="auto">
      Lost when the suite was imported, so replies are graded without: {assertions.join(', ')}
    </p>
  );
}

/** Characters of each text in the summary of a case. */
const glimpseMax = 140;

export function firstLine(text: string, max: number = glimpseMax): string {
  return cut(text.trim().split('\n', 1)[0] ?? '', max);
}

/** What is wrong with a reply, on a line. */
function Fault({ trial }: { readonly trial: ShownTrial }) {
  const { status, graders, ungraded } = trial;
  if (status === 'error')
    return (
      <span class="meta warn">
        {missingIn(trial)}: {firstLine(whyNoReply(trial))}
      </span>
    );
  if (typeof ungraded === 'string') return <span class="meta warn">{firstLine(ungraded)}</span>;
  const failed = graders.find(({ passed }) => passed === false);
  if (failed === undefined || failed.expected === null) return null;
  return (
    <span class="meta" dir="auto">
      <span class="good">{firstLine(failed.expected)}</span> →{' '}
      <span class="bad">{firstLine(failed.found ?? '')}</span>
    </span>
  );
}

function timeOf(trial: ShownTrial | undefined): readonly string[] {
  return trial?.latency_ms == null ? [] : [showTime(trial.latency_ms)];
}

/** Whose verdicts are not of the hub's rules. */
function othersIn(trials: readonly ShownTrial[]): readonly string[] {
  const isOverruled = trials.some(({ status, review }) => review !== undefined && review.was !== status);
  return [
    ...(trials.some(({ judged }) => judged !== undefined) ? ['judged by the runner'] : []),
    ...(isOverruled ? ['overruled'] : []),
  ];
}

function VerdictChip({ verdict }: { readonly verdict: CaseVerdict }) {
  return (
    <span class={`chip ${tones[verdict]}`}>
      {signs[verdict]} {verdict}
    </span>
  );
}

/** A sign for each trial. */
export function Marks({ statuses }: { readonly statuses: readonly ShownTrial['status'][] }) {
  const passed = statuses.filter((status) => status === 'passed').length;
  return (
    <>
      <span aria-hidden="true">{statuses.map((status) => signs[status]).join(' ')}</span>
      {statuses.length === 1 ? ` ${statuses[0]}` : ` ${passed} of ${count(statuses.length, 'trial')} passed`}
    </>
  );
}

interface TrialProps {
  readonly trial: ShownTrial;
  readonly isOnly: boolean;
  readonly most: Limits;
}

function TrialPart({ trial, isOnly, most }: TrialProps) {
  const { graders, response_text: reply, tool_calls: calls, earlier, status } = trial;
  const { ungraded, judged, review } = trial;
  const ms = trial.latency_ms === null ? '' : `, after ${showTime(trial.latency_ms)}`;
  const listed = graders.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, most.graders);
  const isHidden = graders.some(({ expected }) => expected === null);
  return (
    <>
      {isOnly ? null : (
        <h3>
          Trial {trial.trial}: {trial.status}
          {ms}
        </h3>
      )}
      {status === 'error' ? (
        <p class="warn">
          {missingIn(trial)}: {whyNoReply(trial)}
        </p>
      ) : null}
      {judged === undefined ? null : <Judged verdicts={judged} max={most.finding} />}
      {review === undefined ? null : <Reviewed review={review} />}
      {ungraded === undefined ? null : <p class="warn">Not graded. {ungraded}</p>}
      <dl class="faults small">
        {listed.map((grader, position) => (
          <Finding key={position} grader={grader} max={most.finding} />
        ))}
      </dl>
      {graders.length === listed.length ? null : (
        <p class="soft small">And {count(graders.length - listed.length, 'more grader')}.</p>
      )}
      {isHidden ? <p class="soft small">What this case expects is not shown.</p> : null}
      {earlier?.map((text, at) => (
        <Text key={at} title={`Reply to turn ${at + 1}`} text={text} max={most.reply} />
      ))}
      {reply === null || reply === '' ? null : <Text title="Reply" text={reply} max={most.reply} />}
      {calls === undefined || calls.length === 0 ? null : (
        <Text title="Tool calls" text={calls.map(showCall).join('\n')} max={most.reply} />
      )}
    </>
  );
}

/** Of a trial in error. */
function missingIn(trial: ShownTrial): string {
  return hasReply(trial) ? 'No verdict' : 'No reply';
}

interface JudgedProps {
  readonly verdicts: readonly RunnerVerdict[];
  /** Characters of an explanation. */
  readonly max: number;
}

/** Split votes first. */
function Judged({ verdicts, max }: JudgedProps) {
  const sorted = verdicts.toSorted((one, other) => Number(isSplit(other.votes)) - Number(isSplit(one.votes)));
  return (
    <ul class="small">
      {sorted.map(({ judge, model, by, votes, grader }) => (
        <li key={grader}>
          Judged by the runner, @{by}: {judge}
          {model === null ? ', a program' : `, with ${model}`}
          {votes.length === 1
            ? null
            : `; ${votes.filter(({ share }) => share >= 1).length} of ${votes.length} votes accept`}
          <ul>
            {votes.map(({ share, explanation }, at) => (
              <li key={at} dir="auto">
                {share >= 1 ? 'accepts' : share > 0 ? `gives ${share}` : 'rejects'}: {cut(explanation, max)}
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}

interface OverruleProps {
  readonly caseId: string;
  readonly trial: ShownTrial;
}

function Overrule({ caseId, trial: { trial, status } }: OverruleProps) {
  return (
    <FoldedForm
      name="overrule"
      title="Overrule or confirm"
      titleAbout={`trial ${trial} of ${caseId}`}
      submit="Save the verdict"
      hidden={{ case_id: caseId, trial: String(trial) }}
    >
      <Field
        name="passed"
        label="Your verdict"
        choices={[
          ['true', 'passed'],
          ['false', 'failed'],
        ]}
        value={String(status !== 'passed')}
      />
      <Field name="reason" label="Reason" kind="lines" rule="It is shown beside the original verdict." />
    </FoldedForm>
  );
}

function Reviewed({ review: { passed, was, by, reason } }: { readonly review: Review }) {
  const now = passed ? 'passed' : 'failed';
  return (
    <p class="warn" dir="auto">
      {now === was ? `Confirmed by @${by}` : `Was ${was}; overruled to ${now} by @${by}`}
      {reason === '' ? '' : `: ${reason}`}
    </p>
  );
}

function showCall({ name, arguments: given }: NonNullable<ShownTrial['tool_calls']>[number]): string {
  return `${name} ${typeof given === 'string' ? given : JSON.stringify(given)}`;
}

/** Those that failed come first, then those without a verdict. */
function rankOf({ passed }: ShownTrial['graders'][number]): number {
  return passed === null ? 1 : passed ? 2 : 0;
}

/** What a grader expected beside what it found. */
function Finding({ grader, max }: { readonly grader: ShownTrial['graders'][number]; readonly max: number }) {
  const { name, passed, expected, found } = grader;
  const verdict = passed === null ? 'ungraded' : passed ? 'passed' : 'failed';
  return (
    <div class={passed ? 'held' : undefined}>
      <dt>
        <span class={tones[verdict]}>{signs[verdict]}</span> {name}
      </dt>
      {expected === null ? null : (
        <dd dir="auto">
          <span class="soft">Expected</span> {cut(expected, max)}
        </dd>
      )}
      {found === null ? null : (
        <dd dir="auto">
          <span class="soft">Found</span> {cut(found, max)}
        </dd>
      )}
    </div>
  );
}

interface TextProps {
  readonly title: string;
  readonly text: string;
  readonly max: number;
}

function Text({ title, text, max }: TextProps) {
  return (
    <>
      <h3>{title}</h3>
      <pre class="wrap" tabIndex={0} dir="auto">
        {cut(text, max)}
      </pre>
    </>
  );
}

export function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max).toWellFormed()}…`;
}
