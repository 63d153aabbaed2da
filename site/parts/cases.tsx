/** The cases of an eval run: a cell for each, then a folded section with the verdict, the reply and the prompt. */
import type { ComponentChildren } from 'preact';
import type { Check } from '#evals/suite/eval-case.ts';
import type { ShownCase } from '#evals/suite/scorecard/shown-case.ts';
import { showTime } from '#evals/suite/scorecard/html-charts.ts';
import { failureKindOf } from '#evals/suite/score-ladder.ts';
import { shorten } from '#evals/suite/scorecard/safe-text.ts';
import { ladderCategories } from '#evals/suite/ladder/ladder.ts';
import { useView } from '../view.ts';
import { explainCheck, explainFinding } from './check-text.ts';
import { Link } from './link.tsx';

const tones = { passed: 'good', failed: 'bad', error: 'warn' } as const;
/** Shapes, so that the status does not depend on colour alone. */
const signs = { passed: '✓', failed: '✗', error: '!' } as const;
const promptShownMax = 4_000;
const teaserCharacters = 160;

const categories = ladderCategories.map(({ name }) => name);
const verdicts = ['failed', 'error', 'passed'] as const;

/** The query parameters of a page with `Cases`, which choose the cases that it shows. */
export const caseQuery = { category: categories, verdict: verdicts };

interface CasesProps {
  readonly cases: readonly ShownCase[];
  /** Whether prompts, replies and results are shown. */
  readonly withTexts: boolean;
}

export function Cases({ cases, withTexts }: CasesProps) {
  const { category, verdict } = useView().query;
  const ofCategory = cases.filter((one) => category === undefined || one.category === category);
  const shown = ofCategory.filter(({ status }) => verdict === undefined || status === verdict);
  return (
    <section>
      <h2 id="cases">Cases</h2>
      <VerdictFilter cases={ofCategory} />
      <CategoryFilter cases={cases} />
      <p class="cells">
        {shown.map(({ index, id, status, level }) => (
          <a
            key={index}
            href={`#case-${index}`}
            class={`chip ${tones[status]}`}
            aria-label={`${id}: ${status}, level ${level ?? '?'}`}
            title={`${id}: ${status}, level ${level ?? '?'}`}
          >
            {signs[status]}
          </a>
        ))}
      </p>
      {shown.length === 0 ? (
        <p class="soft">No case matches.</p>
      ) : (
        <p class="soft small">
          Each case lists the checks of its reply: ✓ holds, ✗ does not. A case passes if all of them hold.
        </p>
      )}
      <ul class="rows">
        {missedFirst(shown).map((one) => (
          <Case key={one.index} one={one} withTexts={withTexts} />
        ))}
      </ul>
    </section>
  );
}

interface FilterProps {
  readonly cases: readonly ShownCase[];
}

/** The verdicts that occur, each with its number of cases. */
function VerdictFilter({ cases }: FilterProps) {
  const { verdict: chosen, category } = useView().query;
  const countOf = (verdict: string): number => cases.filter(({ status }) => status === verdict).length;
  const own = verdicts.filter((verdict) => countOf(verdict) > 0 || verdict === chosen);
  return (
    <nav class="tabs" aria-label="Verdict">
      <CaseLink category={category} current={chosen === undefined}>
        all <b class="count">{cases.length}</b>
      </CaseLink>
      {own.map((verdict) => (
        <CaseLink key={verdict} category={category} verdict={verdict} current={chosen === verdict}>
          {verdict} <b class="count">{countOf(verdict)}</b>
        </CaseLink>
      ))}
    </nav>
  );
}

/** The categories that have cases of the chosen verdict, each with the number of its cases that did not pass. */
function CategoryFilter({ cases }: FilterProps) {
  const { verdict, category: chosen } = useView().query;
  const missed = (of: string): number =>
    cases.filter(({ category, status }) => category === of && status !== 'passed').length;
  const own = categories.filter(
    (name) =>
      name === chosen ||
      cases.some(
        ({ category, status }) => category === name && (verdict === undefined || status === verdict),
      ),
  );
  return (
    <nav class="tabs" aria-label="Category">
      <CaseLink verdict={verdict} current={chosen === undefined}>
        all
      </CaseLink>
      {own.map((name) => (
        <CaseLink key={name} category={name} verdict={verdict} current={chosen === name}>
          {name}
          {missed(name) === 0 ? null : (
            <b class="count">
              {' '}
              {missed(name)}
              <span class="hidden"> not passed</span>
            </b>
          )}
        </CaseLink>
      ))}
    </nav>
  );
}

interface CaseLinkProps {
  readonly category?: string | undefined;
  readonly verdict?: string | undefined;
  readonly current: boolean;
  readonly children: ComponentChildren;
}

/** A link to this page with these filters only. */
function CaseLink({ category, verdict, current, children }: CaseLinkProps) {
  const { path } = useView();
  const chosen = new URLSearchParams();
  if (category !== undefined) chosen.set('category', category);
  if (verdict !== undefined) chosen.set('verdict', verdict);
  return (
    <Link to={`${path}${chosen.size === 0 ? '' : `?${chosen}`}#cases`} current={current}>
      {children}
    </Link>
  );
}

const order = ['error', 'failed', 'passed'] as const;

/** What did not pass comes first; otherwise the order of the run. */
function missedFirst(cases: readonly ShownCase[]): readonly ShownCase[] {
  return cases.toSorted((one, other) => order.indexOf(one.status) - order.indexOf(other.status));
}

function Case({ one, withTexts }: { readonly one: ShownCase; readonly withTexts: boolean }) {
  const { index, id, status, kind, level, checks, score, latency_ms: latencyMs } = one;
  const wrapping = failureKindOf(one) === 'wrong wrapping' ? 'right value, wrong wrapping' : undefined;
  const facts = [
    kind,
    level === undefined ? undefined : `level ${level}`,
    latencyMs === null ? undefined : showTime(latencyMs),
    wrapping,
    withTexts ? teaserOf(one) : undefined,
  ];
  return (
    <li class={status}>
      <details class="grow">
        <summary>
          <span class={`chip ${tones[status]}`}>
            {signs[status]} {status}
          </span>{' '}
          {id}
          <span class="meta">{facts.filter((fact) => fact !== undefined).join(' · ')}</span>
        </summary>
        <div id={`case-${index}`}>
          {withTexts ? <Values one={one} /> : null}
          <ul class="checks small">
            {checks.map((check, position) => (
              <CheckItem key={position} check={check} withTexts={withTexts} />
            ))}
          </ul>
          {withTexts ? <Texts one={one} /> : null}
        </div>
      </details>
      <span class="num">{Math.round(score * 100)}</span>
    </li>
  );
}

/** A check in plain words: what it tests, and what the reply has. */
function CheckItem({ check, withTexts }: { readonly check: Check; readonly withTexts: boolean }) {
  const { title, line } = explainCheck(check.name);
  const finding = withTexts ? explainFinding(check) : null;
  return (
    <li>
      <span class={check.passed ? 'good' : 'bad'}>{check.passed ? '✓' : '✗'}</span> <b>{title}.</b>{' '}
      {line === null ? null : <span class="soft">{line}</span>}
      {finding === null ? null : <p>{finding}</p>}
    </li>
  );
}

/** What is wrong with the reply: its first failed check. */
function teaserOf({ status, error_code: error, checks }: ShownCase): string | undefined {
  if (status === 'error') return `no reply (${error ?? 'unknown error'})`;
  const failed = checks.find(({ passed }) => !passed);
  return failed === undefined
    ? undefined
    : shorten(explainFinding(failed) ?? failed.message, teaserCharacters, 0);
}

/** The result of a perfect reply, and what was read from this one. */
function Values({ one: { expected, found, status } }: { readonly one: ShownCase }) {
  if (expected === null || status === 'passed') return null;
  return (
    <dl class="facts-grid small">
      <dt>Expected</dt>
      <dd>{expected}</dd>
      <dt>Found</dt>
      <dd>{found ?? <span class="soft">nothing</span>}</dd>
    </dl>
  );
}

function Texts({ one: { prompt, response_text: reply, error_code: error } }: { readonly one: ShownCase }) {
  return (
    <>
      <h3>Reply</h3>
      {reply === null || reply === '' ? (
        <p class="soft">
          {reply === '' ? 'The reply was empty.' : `none${error === null ? '' : ` (${error})`}`}
        </p>
      ) : (
        <pre class="wrap" tabIndex={0}>
          {reply}
        </pre>
      )}
      <h3>Prompt</h3>
      <pre class="wrap" tabIndex={0}>
        {prompt?.slice(0, promptShownMax).toWellFormed() ?? 'The prompt is not shown.'}
      </pre>
    </>
  );
}
