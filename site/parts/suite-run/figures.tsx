/** The figures of a completed run of cases: pass rate with its interval, pass^k, flaky cases, latency, and tags. */
import { percentText } from '#evals/rates.ts';
import { missingIn, partCells } from '#evals/report/report.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { StoredSuiteResult } from '#evals/own-suite/stored-trial.ts';
import { showTime } from '#evals/safe-text.ts';
import type { TagShare } from '#evals/export/run-export.ts';
import { ScoreFigure, ShareBar } from '../charts.tsx';
import { count, thousands } from '../numbers.ts';

interface Figure {
  readonly name: string;
  readonly value: string;
  readonly caption: string;
}

interface FiguresProps {
  readonly run: RunRow;
  readonly result: StoredSuiteResult;
}

export function SuiteRunFigures({ run, result }: FiguresProps) {
  const { pass_rate: rate, tags, metrics = {} } = result;
  return (
    <section>
      <ScoreFigure
        score={100 * rate.value}
        low={100 * rate.low}
        high={100 * rate.high}
        unit="% passed"
        at={run.finishedAt}
      />
      <Tiles run={run} result={result} />
      <TagBars
        title="Passed, by tag"
        tags={Object.entries(tags).map(([tag, share]) => ({ tag, ...share }))}
      />
      <TagBars
        title="By metric"
        tags={Object.entries(metrics).map(([tag, { value, graded }]) => ({
          tag,
          value,
          cases: graded,
          answered: graded,
        }))}
      />
    </section>
  );
}

/** The tags with the lowest shares. */
const tagsShownMax = 24;

interface TagBarsProps {
  readonly title: string;
  readonly tags: readonly TagShare[];
}

export function TagBars({ title, tags }: TagBarsProps) {
  if (tags.length === 0) return null;
  return (
    <>
      <p class="label spaced">{title}</p>
      <ul class="bars">
        {tags
          .toSorted((one, other) => rankOf(one) - rankOf(other))
          .slice(0, tagsShownMax)
          .map(({ tag, ...share }) => {
            const [passed, cases] = partCells(share, 0);
            const isPart = share.answered > 0 && share.answered < share.cases;
            return (
              <li key={tag}>
                <span>
                  {tag} <small class="soft">{isPart ? cases : `of ${cases}`}</small>
                </span>
                <ShareBar
                  percent={100 * share.value}
                  label={`${tag}: ${passed}${share.answered === 0 ? '' : ' passed'}`}
                />
                <span class="num">{passed}</span>
              </li>
            );
          })}
      </ul>
    </>
  );
}

/** Tags of which nothing was asked come last. */
function rankOf({ value, answered }: TagShare): number {
  return answered === 0 ? 2 : value;
}

function Tiles({ run, result }: FiguresProps) {
  const { pass_k: whole, flaky, latency, usage, ungraded, errors, partial = [] } = result;
  const judgedCases = result.judged?.cases ?? [];
  const cases = run.runSize / run.trials;
  const figures: Figure[] = [
    {
      name: 'Cases',
      value: thousands(cases),
      caption: run.trials === 1 ? 'asked once' : `asked ${run.trials} times each`,
    },
  ];
  const add = (name: string, value: string, caption: string) => figures.push({ name, value, caption });
  if (whole.k > 1) {
    add('Passed every time', percentText(whole.value), `of the cases, in ${whole.k} trials`);
    add('Flaky', thousands(flaky.length), 'passed in some trials only');
  }
  if (latency !== null) add('Latency', showTime(latency.p50_ms), `p90 ${showTime(latency.p90_ms)}`);
  if (usage !== null)
    add(
      'Tokens',
      thousands(usage.output_tokens),
      `written, ${thousands(usage.input_tokens)} read${usage.partial === true ? ', of some replies' : ''}`,
    );
  if (errors > 0)
    add(
      `No ${missingIn({ judgedCases })}`,
      thousands(errors),
      `${count(errors, 'trial')}, counted as failed`,
    );
  if (partial.length > 0)
    add(
      'Lost assertions',
      thousands(partial.length),
      `${count(partial.length, 'case')}, graded without them`,
    );
  if (ungraded > 0) add('Ungraded', thousands(ungraded), count(ungraded, 'reply', 'replies'));
  return (
    <dl class="tiles">
      {figures.map(({ name, value, caption }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          <dd class="soft small">{caption}</dd>
        </div>
      ))}
    </dl>
  );
}
