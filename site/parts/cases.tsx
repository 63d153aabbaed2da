/** The cases of an eval run: a cell for each, then a folded section with the verdict, the reply and the prompt. */
import type { ShownCase } from '#domain/eval-suite/scorecard/shown-case.ts';
import { showTime } from '#domain/eval-suite/scorecard/html-charts.ts';
import { failureKindOf } from '#domain/eval-suite/score-ladder.ts';
import { shorten } from '#domain/eval-suite/scorecard/safe-text.ts';
import { MissedChoice } from './missed-choice.tsx';

const tones = { passed: 'good', failed: 'bad', error: 'warn' } as const;
/** Shapes, so that the status does not depend on colour alone. */
const signs = { passed: '✓', failed: '✗', error: '!' } as const;
const promptShownMax = 4_000;
const teaserCharacters = 160;

interface CasesProps {
  readonly cases: readonly ShownCase[];
  /** Whether prompts, replies and results are shown. */
  readonly withTexts: boolean;
}

export function Cases({ cases, withTexts }: CasesProps) {
  const missed = cases.filter(({ status }) => status !== 'passed').length;
  return (
    <>
      <p class="cells">
        {cases.map(({ index, id, status, level }) => (
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
      <MissedChoice all={cases.length} missed={missed} />
      <p class="soft small">
        Each case lists the checks of its reply: ✓ holds, ✗ does not. A case passes if all of them hold.
      </p>
      <ul class="rows">
        {missedFirst(cases).map((one) => (
          <Case key={one.index} one={one} withTexts={withTexts} />
        ))}
      </ul>
    </>
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
          <ul class="small spaced-small">
            {checks.map((check, position) => (
              <li key={position}>
                {check.passed ? '✓' : '✗'} {withTexts ? check.message : check.name.replaceAll('-', ' ')}
              </li>
            ))}
          </ul>
          {withTexts ? <Texts one={one} /> : null}
        </div>
      </details>
      <span class="num">{Math.round(score * 100)}</span>
    </li>
  );
}

/** The message of the first failed check. */
function teaserOf({ status, error_code: error, checks }: ShownCase): string | undefined {
  if (status === 'error') return `no reply (${error ?? 'unknown error'})`;
  const failed = checks.find(({ passed }) => !passed);
  return failed === undefined ? undefined : shorten(failed.message, teaserCharacters, 0);
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
