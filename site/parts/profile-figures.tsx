/** The figures of a profile: the published scores, and reputation over time. */
import { pointsText } from '#evals/rates.ts';
import { badgeSize } from '../documents/badge.tsx';
import type { ReputationKind } from '#db/schema/reputation-tables.ts';
import type { PublishedScores } from '#domain/leaderboard/published-scores.ts';
import { evalRunScorecard } from '#evals/suite/scorecard/model.ts';
import { isScoreJson } from '#evals/suite/scorecard/score-json-schema.ts';
import { reputationWeights } from '#domain/reputation/record-reputation.ts';
import type { Reputation } from '#domain/reputation/show-reputation.ts';
import { StepChart } from './charts.tsx';
import { HistoryChart } from './history-chart.tsx';
import { GroupTable, ScoreFigure } from './scorecard/sections.tsx';
import { Link } from './link.tsx';
import { count, thousands } from './numbers.ts';

export function Scores({
  handle,
  published,
}: {
  readonly handle: string;
  readonly published: PublishedScores;
}) {
  const { scores, scoreJson } = published;
  const [newest] = scores;
  if (newest === undefined || !isScoreJson(scoreJson)) return null;
  const model = evalRunScorecard(scoreJson, []);
  return (
    <section>
      <h2>
        <Link to="/evaluation">Evaluation</Link>
      </h2>
      <ScoreFigure model={model} />
      {scores.length < 2 ? null : (
        <div class="spaced">
          <HistoryChart scores={scores} />
        </div>
      )}
      <details class="spaced-small">
        <summary>Levels by category</summary>
        <GroupTable groups={model.groups} />
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

export function ReputationFigure({
  reputation,
  today,
}: {
  readonly reputation: Reputation;
  readonly today: Date;
}) {
  const { total, breakdown, recent } = reputation;
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
        <StepChart
          points={stepsOf(total, recent)}
          until={today}
          label={`Reputation over time, now ${total}`}
        />
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
