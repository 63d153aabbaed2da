/** The scores of an agent's runs in order, with their intervals. A line joins only runs of one label that can be compared. */
import { pointsText } from '#evals/rates.ts';
import type { ScorePoint } from '#domain/runs/list-scores.ts';
import { across, Plot, scoreTicks, up } from './charts.tsx';
import { CostChart, type CostPoint } from './cost-chart.tsx';
import { dayOf, timeOf } from './dates.tsx';
import { Link } from './link.tsx';
import { count } from './numbers.ts';
import { comparePath } from './runs.tsx';

/** Dates below the chart, between the first and the last. */
const betweenDates = 2;
/** Labels with a line of their own. */
const linesMax = 4;

interface HistoryProps {
  /** Newest first. */
  readonly scores: readonly ScorePoint[];
  /** The unit of a run, such as `case`. */
  readonly unit?: 'case' | 'task';
}

export function HistoryChart({ scores, unit = 'case' }: HistoryProps) {
  const [latest] = scores;
  if (latest === undefined) return null;
  const labels = [...new Set(scores.map(({ label }) => label))];
  const points = scores.toReversed();
  const step = 100 / Math.max(points.length, 4);
  // Few points stay on the left, so that two runs are not stretched across the page.
  const placeOf = (index: number): number => step * (index + 0.5);
  const label = `Scores of ${points.length} runs, the last ${pointsText(latest.score)} on ${dayOf(latest.finishedAt)}`;
  const below = dated(points.length).flatMap((index) => {
    const at = points[index]?.finishedAt;
    return at === undefined ? [] : [{ at: placeOf(index), text: shortDay(at) }];
  });
  const days = new Map(below.map((one) => [one.text, one]));
  return (
    <>
      <Plot label={label} ticks={scoreTicks} max={100} below={[...days.values()]}>
        {points.map((point, index) => {
          const before = points.findLastIndex((one, at) => at < index && isJoined(one, point));
          const mark = { point, latest, unit, isLast: index === points.length - 1 };
          return (
            <g key={point.id} class={seriesOf(labels, point)}>
              {before < 0 ? null : (
                <line
                  class="line"
                  x1={across(placeOf(before))}
                  x2={across(placeOf(index))}
                  y1={up((points[before]?.score ?? 0) / 100)}
                  y2={up(point.score / 100)}
                />
              )}
              <Point {...mark} x={across(placeOf(index))} before={points[index - 1]} />
            </g>
          );
        })}
      </Plot>
      {labels.length < 2 ? null : (
        <ul class="legend small">
          {labels.slice(0, linesMax + 1).map((name, index) => (
            <li key={name} class={`series-${index}`}>
              <svg class="chart" width="26" height="10" aria-hidden="true">
                <line class="line" x1="0" x2="26" y1="5" y2="5" />
              </svg>
              {index < linesMax ? (name ?? 'no label') : 'other labels'}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function seriesOf(labels: readonly (string | null)[], { label }: ScorePoint): string {
  return `series-${Math.min(labels.indexOf(label), linesMax)}`;
}

interface PointProps {
  readonly point: ScorePoint;
  readonly latest: ScorePoint;
  readonly before: ScorePoint | undefined;
  readonly unit: string;
  readonly x: string;
  readonly isLast: boolean;
}

function Point({ point, latest, before, unit, x, isLast }: PointProps) {
  const { label, score, interval, suiteVersion, cases, finishedAt } = point;
  const named = label === null ? '' : `${label}: `;
  const range = `95% interval ${pointsText(interval.low)} to ${pointsText(interval.high)}`;
  const said = `${named}${pointsText(score)} on ${dayOf(finishedAt)}, ${timeOf(finishedAt)}, ${range}, ${count(cases, unit)}`;
  return (
    <g class={isComparable(point, latest) ? '' : 'former'}>
      {before === undefined || before.suiteVersion === suiteVersion ? null : (
        <text x={x} y={up(1) - 2} text-anchor="middle">
          version {suiteVersion}
        </text>
      )}
      <line class="whisker" x1={x} x2={x} y1={up(interval.low / 100)} y2={up(interval.high / 100)} />
      <circle class={`dot ${isLast ? 'last' : ''}`} cx={x} cy={up(score / 100)} r="4.5">
        <title>{said}</title>
      </circle>
    </g>
  );
}

function isJoined(one: ScorePoint, other: ScorePoint): boolean {
  return one.label === other.label && isComparable(one, other);
}

/** Versions of a published suite share cases. */
function isComparable(one: ScorePoint, other: ScorePoint): boolean {
  return one.suiteVersion === other.suiteVersion || one.suiteName.startsWith('@');
}

/** The positions of the dates: the first, the last and some in between. */
function dated(length: number): number[] {
  const last = length - 1;
  const parts = Math.min(last, betweenDates + 1);
  if (parts <= 0) return [0];
  return Array.from({ length: parts + 1 }, (_, part) => Math.round((part * last) / parts));
}

/** Without the year. */
function shortDay(date: Date): string {
  return dayOf(date).replace(/ \d+$/, '');
}

function costPointOf({ id, score, finishedAt, cost }: ScorePoint): CostPoint {
  return { id, name: dayOf(finishedAt), score, cost };
}

/**
 * The chart with its explanation, if there are at least two runs.
 * @param props.of which runs they are, if the page lists others too
 */
export function History({ scores, unit = 'case', of }: HistoryProps & { readonly of?: string }) {
  const [after, before] = scores;
  if (after === undefined || before === undefined) return null;
  return (
    <>
      <section>
        <h2>Score{of === undefined ? '' : ` of ${of}`} over time</h2>
        <HistoryChart scores={scores} unit={unit} />
        <p class="soft small spaced-small">
          The bars are 95% intervals: where they overlap, the difference may be chance.{' '}
          {isComparable(after, before) ? (
            <Link to={comparePath(before.id, after.id)}>Compare the last two runs</Link>
          ) : null}
        </p>
      </section>
      <CostChart
        title="Score against cost"
        points={scores.filter((own) => isComparable(own, after)).map(costPointOf)}
      />
    </>
  );
}
