/** The scores of an agent's runs in order, with their intervals. A line joins only runs of the same suite version. */
import { pointsText } from '#evals/rates.ts';
import type { ScorePoint } from '#domain/runs/list-scores.ts';
import { CostChart, type CostPoint } from './cost-chart.tsx';
import { dayOf } from './dates.tsx';
import { Link } from './link.tsx';
import { count } from './numbers.ts';

const plot = { left: 5, top: 10, height: 170 };
const ticks = [0, 25, 50, 75, 100];
/** Dates below the chart, between the first and the last. */
const betweenDates = 2;

function y(score: number): number {
  return plot.top + plot.height * (1 - score / 100);
}

interface HistoryProps {
  /** Newest first. */
  readonly scores: readonly ScorePoint[];
  /** The unit of a run, such as `case`. */
  readonly unit?: 'case' | 'task';
}

export function HistoryChart({ scores, unit = 'case' }: HistoryProps) {
  const points = scores.toReversed();
  const step = (100 - plot.left) / Math.max(points.length, 4);
  // Few points stay on the left, so that two runs are not stretched across the page.
  const x = (index: number): string => `${(plot.left + step * (index + 0.5)).toFixed(2)}%`;
  const latest = points.at(-1);
  if (latest === undefined) return null;
  const label = `Scores of ${points.length} runs, the last ${pointsText(latest.score)} on ${dayOf(latest.finishedAt)}`;
  return (
    <svg class="chart history" height={plot.top + plot.height + 24} role="img" aria-label={label}>
      {ticks.map((tick) => (
        <g key={tick}>
          <line class="grid" x1={`${plot.left}%`} x2="100%" y1={y(tick)} y2={y(tick)} />
          <text x={`${plot.left - 1}%`} y={y(tick) + 4} text-anchor="end">
            {tick}
          </text>
        </g>
      ))}
      {points.map((point, index) => (
        <Step key={point.id} points={points} index={index} x={x} />
      ))}
      {points.map((point, index) => (
        <Point key={point.id} points={points} index={index} x={x} unit={unit} />
      ))}
      {dated(points.length).map((index) => (
        <text key={index} x={x(index)} y={plot.top + plot.height + 20} text-anchor="middle">
          {shortDay(points[index]?.finishedAt)}
        </text>
      ))}
    </svg>
  );
}

interface PointProps {
  readonly points: readonly ScorePoint[];
  readonly index: number;
  readonly x: (index: number) => string;
}

/** The line from the previous run, if the two can be compared. */
function Step({ points, index, x }: PointProps) {
  const [before, point] = [points[index - 1], points[index]];
  if (before === undefined || point === undefined || !isSameSuite(before, point)) return null;
  return <line class="line" x1={x(index - 1)} x2={x(index)} y1={y(before.score)} y2={y(point.score)} />;
}

function Point({ points, index, x, unit }: PointProps & Required<Pick<HistoryProps, 'unit'>>) {
  const [before, point] = [points[index - 1], points[index]];
  if (point === undefined) return null;
  const { score, interval, suiteVersion, cases, finishedAt } = point;
  const isNewSuite = before !== undefined && !isSameSuite(before, point);
  const range = `, 95% interval ${pointsText(interval.low)} to ${pointsText(interval.high)}`;
  return (
    <g class={isSameSuite(point, points.at(-1) ?? point) ? '' : 'former'}>
      {isNewSuite ? (
        <text class="version" x={x(index)} y={plot.top + 2} text-anchor="middle">
          version {suiteVersion}
        </text>
      ) : null}
      <line class="whisker" x1={x(index)} x2={x(index)} y1={y(interval.low)} y2={y(interval.high)} />
      <circle class={`dot ${index === points.length - 1 ? 'last' : ''}`} cx={x(index)} cy={y(score)} r="4.5">
        <title>{`${pointsText(score)} on ${dayOf(finishedAt)}${range}, ${count(cases, unit)}`}</title>
      </circle>
    </g>
  );
}

/** Whether two scores can be compared. */
function isSameSuite(one: ScorePoint, other: ScorePoint): boolean {
  return one.suiteVersion === other.suiteVersion;
}

/** The positions of the dates: the first, the last and some in between. */
function dated(count: number): number[] {
  const last = count - 1;
  const parts = Math.min(last, betweenDates + 1);
  if (parts <= 0) return [0];
  return Array.from({ length: parts + 1 }, (_, part) => Math.round((part * last) / parts));
}

/** Without the year. */
function shortDay(date: Date | undefined): string {
  return date === undefined ? '' : dayOf(date).replace(/ \d+$/, '');
}

function costPointOf({ id, score, finishedAt, cost }: ScorePoint): CostPoint {
  return { id, name: dayOf(finishedAt), score, cost };
}

interface HistorySectionProps extends HistoryProps {
  readonly comparePath: (before: string, after: string) => string;
}

/** The chart with its explanation, if there are at least two runs. */
export function History({ scores, unit = 'case', comparePath }: HistorySectionProps) {
  const [after, before] = scores;
  if (after === undefined || before === undefined) return null;
  return (
    <>
      <section>
        <HistoryChart scores={scores} unit={unit} />
        <p class="soft small spaced-small">
          The bars are 95% intervals: where they overlap, the difference may be chance.{' '}
          {isSameSuite(after, before) ? (
            <Link to={comparePath(before.id, after.id)}>Compare the last two runs</Link>
          ) : null}
        </p>
      </section>
      <CostChart
        title="Score against cost"
        points={scores.filter((own) => isSameSuite(own, after)).map(costPointOf)}
      />
    </>
  );
}
