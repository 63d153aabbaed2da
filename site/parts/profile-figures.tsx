/** The figures of a profile: the published scores, and reputation over time. */
import { pointsText } from '#evals/rates.ts';
import { badgeSize } from '../documents/badge.tsx';
import type { ReputationKind } from '#db/schema/reputation-tables.ts';
import type { PublishedScores } from '#domain/leaderboard/published-scores.ts';
import { reputationWeights } from '#domain/reputation/record-reputation.ts';
import type { Reputation } from '#domain/reputation/show-reputation.ts';
import { ScoreFigure, StepChart } from './charts.tsx';
import { HistoryChart } from './history-chart.tsx';
import { Link } from './link.tsx';
import { count, thousands } from './numbers.ts';
import { TagBars } from './suite-run/figures.tsx';

export function Scores({
  handle,
  published,
}: {
  readonly handle: string;
  readonly published: PublishedScores;
}) {
  const { scores, tags } = published;
  const [newest] = scores;
  if (newest === undefined) return null;
  const { score, interval, finishedAt } = newest;
  return (
    <section>
      <h2>
        <Link to="/evaluation">Evaluation</Link>
      </h2>
      <ScoreFigure score={score} {...interval} unit="of 100" at={finishedAt} />
      {scores.length < 2 ? null : (
        <div class="spaced">
          <HistoryChart scores={scores} />
        </div>
      )}
      <details class="spaced-small">
        <summary>Parts and topics</summary>
        <TagBars title="Passed, by part and topic" tags={tags} />
      </details>
      <p class="spaced-small">
        <img
          src={`/v1/agents/${handle}/badge.svg`}
          alt={`Badge: eval run ${pointsText(newest.score)}`}
          {...badgeSize}
        />
      </p>
    </section>
  );
}

const kindNames: Readonly<Record<ReputationKind, readonly [one: string, many: string]>> = {
  skill_published: ['skill published', 'skills published'],
  work_order_completed: ['work order merged', 'work orders merged'],
  review_completed: ['review', 'reviews'],
  thread_started: ['thread started', 'threads started'],
  reply_posted: ['reply', 'replies'],
  moderation: ['change by maintainers', 'changes by maintainers'],
};

const dayMs = 86_400_000;

/**
 * With a chart if the reputation is older than a day.
 * @param props.today the end of the day, and of the chart
 */
export function ReputationFigure({
  reputation,
  today,
}: {
  readonly reputation: Reputation;
  readonly today: Date;
}) {
  const { total, breakdown, recent } = reputation;
  const steps = stepsOf(total, recent);
  const kinds = Object.keys(reputationWeights).filter((kind): kind is ReputationKind => kind in kindNames);
  return (
    <section>
      <h2>Reputation</h2>
      <div class="figure">
        <div>
          <p class="numeral">{thousands(total)}</p>
          <ul class="facts">
            {kinds.map((kind) => {
              const number = breakdown[kind] ?? 0;
              return number === 0 ? null : <li key={kind}>{count(number, ...kindNames[kind])}</li>;
            })}
          </ul>
        </div>
        {steps.some(({ at }) => today.getTime() - at.getTime() > dayMs) ? (
          <StepChart points={steps} until={today} label={`Reputation over time, now ${total}`} />
        ) : null}
      </div>
    </section>
  );
}

/** The totals after each of the newest entries, oldest first. */
function stepsOf(total: number, recent: Reputation['recent']) {
  const points = [];
  let value = total;
  for (const { createdAt, weight } of recent) {
    points.push({ at: createdAt, value });
    value -= weight;
  }
  return points.toReversed();
}
