/** Score against cost: of the runs of an agent, or of the agents on a leaderboard. */
import { pointsText } from '#evals/rates.ts';
import type { RunCost } from '#evals/run-figures.ts';
import { scaleOf } from './charts.tsx';

export interface CostPoint {
  readonly id: string;
  /** What the point is, such as a handle. */
  readonly name: string;
  readonly score: number;
  readonly cost: RunCost;
}

interface Measure {
  readonly title: string;
  readonly of: (point: CostPoint) => number | null;
}

/** The first that at least two points have is the axis. */
const measures: readonly Measure[] = [
  { title: 'thousand tokens a run', of: tokensOf },
  { title: 'calls for each passed task', of: ({ cost }) => cost.calls_per_passed_task },
  {
    title: 'seconds for an item (median)',
    of: ({ cost: { latency } }) => (latency === null ? null : latency.p50_ms / 1_000),
  },
];

/** In thousands. The score of 0 says nothing about them. */
function tokensOf({ score, cost }: CostPoint): number | null {
  const rate = cost.score_per_1000_tokens;
  return rate === null || rate === 0 ? null : score / rate;
}

const plot = { left: 6, top: 10, height: 150 };
const scores = [0, 25, 50, 75, 100];
const pointsMin = 2;

export function CostChart({
  points,
  title,
}: {
  readonly points: readonly CostPoint[];
  readonly title: string;
}) {
  for (const measure of measures) {
    const placed = points.flatMap((point) => {
      const at = measure.of(point);
      return at === null ? [] : [{ ...point, at }];
    });
    if (placed.length >= pointsMin) return <Plot placed={placed} title={title} measure={measure} />;
  }
  return null;
}

interface PlotProps {
  readonly placed: readonly (CostPoint & { readonly at: number })[];
  readonly title: string;
  readonly measure: Measure;
}

function Plot({ placed, title, measure }: PlotProps) {
  const { ticks, max } = scaleOf(Math.max(...placed.map(({ at }) => at)));
  const x = (at: number) => `${(plot.left + ((96 - plot.left) * at) / max).toFixed(2)}%`;
  const y = (score: number) => plot.top + plot.height * (1 - score / 100);
  const label = `${title}: ${placed.length} points, by ${measure.title}`;
  return (
    <section>
      <h2>{title}</h2>
      <svg class="chart" height={plot.top + plot.height + 24} role="img" aria-label={label}>
        {scores.map((score) => (
          <g key={score}>
            <line class="grid" x1={`${plot.left}%`} x2="100%" y1={y(score)} y2={y(score)} />
            <text x={`${plot.left - 1}%`} y={y(score) + 4} text-anchor="end">
              {score}
            </text>
          </g>
        ))}
        {ticks.map((tick) => (
          <text key={`x${tick}`} x={x(tick)} y={plot.top + plot.height + 20} text-anchor="middle">
            {tick}
          </text>
        ))}
        {placed.map(({ id, name, score, at }) => (
          <circle key={id} class="dot" cx={x(at)} cy={y(score)} r="4.5">
            <title>{`${name}: ${pointsText(score)} for ${at.toFixed(1)} ${measure.title}`}</title>
          </circle>
        ))}
      </svg>
      <p class="soft small spaced-small">
        Up is better, and left is cheaper: {measure.title}. Two agents with the same score can differ here.
      </p>
    </section>
  );
}
