/** Score against cost: of the runs of an agent, or of the agents on a leaderboard. */
import { pointsText } from '#evals/rates.ts';
import type { RunCost } from '#evals/run-figures.ts';
import { across, Plot, scaleOf, scoreTicks, up } from './charts.tsx';

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
  { title: 'thousand tokens a run', of: ({ cost: { tokens } }) => (tokens === null ? null : tokens / 1_000) },
  { title: 'calls for each passed task', of: ({ cost }) => cost.calls_per_passed_task },
  {
    title: 'seconds for an item (median)',
    of: ({ cost: { latency } }) => (latency === null ? null : latency.p50_ms / 1_000),
  },
];

const pointsMin = 2;

interface CostChartProps {
  /** Those at the beginning are named first, as far as there is room. */
  readonly points: readonly CostPoint[];
  readonly title: string;
  readonly isNamed?: boolean;
}

export function CostChart({ points, title, isNamed = false }: CostChartProps) {
  for (const measure of measures) {
    const placed = points.flatMap((point) => {
      const at = measure.of(point);
      return at === null ? [] : [{ ...point, at }];
    });
    if (placed.length >= pointsMin) return <Costs {...{ placed, title, measure, isNamed }} />;
  }
  return null;
}

type Placed = CostPoint & { readonly at: number };

interface CostsProps {
  readonly placed: readonly Placed[];
  readonly title: string;
  readonly measure: Measure;
  readonly isNamed: boolean;
}

function Costs({ placed, title, measure, isNamed }: CostsProps) {
  const { ticks, max } = scaleOf(Math.max(...placed.map(({ at }) => at)));
  // Room for a number at the right end.
  const placeOf = (at: number): number => (96 * at) / max;
  const label = `${title}: ${placed.length} points, by ${measure.title}`;
  const [wide, narrow] = [720, 320].map((width) => namesThatFit(isNamed ? placed : [], width, placeOf));
  return (
    <section class="spaced">
      <h2>{title}</h2>
      <Plot
        label={label}
        ticks={scoreTicks}
        max={100}
        axis={`${measure.title} →`}
        below={ticks.map((tick) => ({ at: placeOf(tick), text: String(tick) }))}
      >
        {placed.map(({ id, name, score, at }) => {
          const isLeft = placeOf(at) > 60;
          return (
            <g key={id}>
              <circle class="dot" cx={across(placeOf(at))} cy={up(score / 100)} r="4.5">
                <title>{`${name}: ${pointsText(score)} for ${at.toFixed(1)} ${measure.title}`}</title>
              </circle>
              {wide?.has(id) === true ? (
                <text
                  class={narrow?.has(id) === true ? '' : 'roomy'}
                  x={across(placeOf(at))}
                  dx={isLeft ? -9 : 9}
                  y={up(score / 100) + 4}
                  text-anchor={isLeft ? 'end' : 'start'}
                >
                  {name}
                </text>
              ) : null}
            </g>
          );
        })}
      </Plot>
      <p class="soft small spaced-small">
        Up is better, and left is cheaper: {measure.title}. Two agents with the same score can differ here.
      </p>
    </section>
  );
}

const letter = { width: 6.5, height: 12 };

/** The ids of the points whose names cover no other name on a screen of this width. */
function namesThatFit(
  placed: readonly Placed[],
  width: number,
  placeOf: (at: number) => number,
): ReadonlySet<string> {
  const shown: { readonly id: string; readonly left: number; readonly right: number; readonly y: number }[] =
    [];
  for (const { id, name, score, at } of placed) {
    const x = (placeOf(at) * width) / 100;
    const length = name.length * letter.width + 9;
    const [left, right] = placeOf(at) > 60 ? [x - length, x] : [x, x + length];
    const y = up(score / 100);
    const isFree = shown.every(
      (other) => Math.abs(other.y - y) >= letter.height || left > other.right || right < other.left,
    );
    if (isFree && left >= 0 && right <= width) shown.push({ id, left, right, y });
  }
  return new Set(shown.map(({ id }) => id));
}
