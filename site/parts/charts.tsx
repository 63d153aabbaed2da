/** Charts as SVG. Positions are percentages, so that lines stretch with the page and letters keep their size. */
import { pointsText } from '#evals/rates.ts';
import type { ComponentChildren } from 'preact';
import { Day, dayOf, monthOf, timeOf } from './dates.tsx';

/** A share of a whole as a bar. */
export function ShareBar({ percent, label }: { readonly percent: number; readonly label: string }) {
  return (
    <svg class="bar" role="img" aria-label={label}>
      <rect class="track" width="100%" height="8" rx="4" />
      <rect class="fill" width={`${Math.min(100, Math.max(0, percent))}%`} height="8" rx="4" />
    </svg>
  );
}

interface SeatsBarProps {
  readonly total: number;
  readonly booked: number;
  readonly waiting: number;
}

/** The seats of an event in one line: booked, left, and those who wait beyond them. */
export function SeatsBar({ total, booked, waiting }: SeatsBarProps) {
  const percent = (seats: number): string => `${((100 * seats) / (total + waiting)).toFixed(2)}%`;
  const left = Math.max(0, total - booked);
  const parts = [
    { name: 'booked', seats: booked, from: 0, class: 'fill' },
    { name: 'left', seats: left, from: booked, class: 'track' },
    { name: 'waiting', seats: waiting, from: total, class: 'waiting' },
  ].filter(({ name, seats }) => seats > 0 || name !== 'waiting');
  const label = `${total} seats: ${parts.map(({ name, seats }) => `${seats} ${name}`).join(', ')}`;
  return (
    <>
      <svg class="bar seats" role="img" aria-label={label}>
        {parts.map(({ name, seats, from, class: className }) => (
          <rect key={name} class={className} x={percent(from)} width={percent(seats)} height="12" />
        ))}
      </svg>
      <ul class="legend small">
        {parts.map(({ name, seats, class: className }) => (
          <li key={name}>
            <svg class="bar" width="12" height="12" aria-hidden="true">
              <rect class={className} width="12" height="12" />
            </svg>
            {seats} {name}
          </li>
        ))}
      </ul>
    </>
  );
}

interface PlotProps {
  /** The chart in words. */
  readonly label: string;
  /** The numbers beside the lines of the grid. */
  readonly ticks: readonly number[];
  /** At the top of the plot. */
  readonly max: number;
  /** The texts below the plot, by their place in percent of its width. */
  readonly below: readonly { readonly at: number; readonly text: string }[];
  /** What the texts below count. */
  readonly axis?: string;
  /** Placed with {@link across} and {@link up}. */
  readonly children: ComponentChildren;
}

const plot = { left: 6, height: 150, top: 10 };
export const scoreTicks = [0, 25, 50, 75, 100];

/** @param percent of the width of a plot */
export function across(percent: number): string {
  return `${(plot.left + (percent * (100 - plot.left)) / 100).toFixed(2)}%`;
}

/** @param share of the height of a plot, from 0 to 1 */
export function up(share: number): number {
  return Number((plot.top + plot.height * (1 - share)).toFixed(2));
}

/** Such as `50`, `2.5k` and `10M`: the margin is narrow on a phone. */
function shortNumber(number: number): string {
  if (number >= 1e6) return `${Number((number / 1e6).toPrecision(3))}M`;
  return number >= 1e3 ? `${Number((number / 1e3).toPrecision(3))}k` : String(number);
}

/** The grid and axes of a chart. */
export function Plot({ label, ticks, max, below, axis, children }: PlotProps) {
  const height = plot.top + plot.height + (axis === undefined ? 26 : 44);
  return (
    <svg class="chart" height={height} role="img" aria-label={label}>
      {ticks.map((tick) => (
        <g key={tick}>
          <line class="grid" x1={`${plot.left}%`} x2="100%" y1={up(tick / max)} y2={up(tick / max)} />
          <text x={`${plot.left - 1}%`} y={up(tick / max) + 4} text-anchor="end">
            {shortNumber(tick)}
          </text>
        </g>
      ))}
      {below.map(({ at, text }) => (
        <text key={text} x={across(at)} y={plot.top + plot.height + 22} text-anchor="middle">
          {text}
        </text>
      ))}
      {axis === undefined ? null : (
        <text x="100%" y={height - 6} text-anchor="end">
          {axis}
        </text>
      )}
      {children}
    </svg>
  );
}

interface HourChartProps {
  /** Oldest first. */
  readonly hours: readonly { readonly startsAt: Date; readonly completed: number; readonly failed: number }[];
  readonly label: string;
}

const hoursBetweenTicks = 4;

/** Two counts for each hour, one on the other. */
export function HourChart({ hours, label }: HourChartProps) {
  const { ticks, max } = scaleOf(Math.max(...hours.map(({ completed, failed }) => completed + failed)), 1);
  const step = 100 / hours.length;
  const below = hours.flatMap(({ startsAt }, place) =>
    startsAt.getUTCHours() % hoursBetweenTicks === 0 ? [{ at: step * place, text: timeOf(startsAt) }] : [],
  );
  const width = `${((100 - plot.left) * step * 0.007).toFixed(2)}%`;
  return (
    <>
      <Plot label={label} ticks={ticks} max={max} below={below}>
        {hours.map(({ startsAt, completed, failed }, place) => (
          <g key={place}>
            <title>{`${timeOf(startsAt)}: ${completed} completed, ${failed} failed`}</title>
            <Block {...{ width, max }} at={step * (place + 0.15)} from={0} to={completed} />
            <g class="series-3">
              <Block
                {...{ width, max }}
                at={step * (place + 0.15)}
                from={completed}
                to={completed + failed}
              />
            </g>
          </g>
        ))}
      </Plot>
      <ul class="legend small">
        {['completed', 'failed'].map((name, place) => (
          <li key={name} class={place === 0 ? '' : 'series-3'}>
            <svg class="chart" width="26" height="10" aria-hidden="true">
              <rect class="block" width="26" height="10" />
            </svg>
            {name}
          </li>
        ))}
      </ul>
    </>
  );
}

interface BlockProps {
  readonly at: number;
  readonly width: string;
  readonly from: number;
  readonly to: number;
  readonly max: number;
}

function Block({ at, width, from, to, max }: BlockProps) {
  if (to === from) return null;
  const height = Number((up(from / max) - up(to / max)).toFixed(2));
  return <rect class="block" x={across(at)} y={up(to / max)} width={width} height={height} />;
}

const timeTicksMax = 6;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Names months, or days or hours where there are too few. */
function timeTicks(from: Date, to: Date): readonly { readonly at: number; readonly text: string }[] {
  const spanMs = to.getTime() - from.getTime();
  const ticks = [];
  const isOfMonths = spanMs > 60 * dayMs;
  const stepMs = spanMs > 2 * dayMs ? dayMs : hourMs;
  for (let number = 1; ; number += 1) {
    const at = isOfMonths
      ? new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + number, 1))
      : new Date((Math.floor(from.getTime() / stepMs) + number) * stepMs);
    if (at >= to) break;
    const year = at.getUTCMonth() === 0 ? String(at.getUTCFullYear()) : monthOf(at);
    const text = isOfMonths ? year : stepMs === dayMs ? `${at.getUTCDate()} ${monthOf(at)}` : timeOf(at);
    ticks.push({ at: placeOf(at, from, to), text });
  }
  const step = Math.ceil(ticks.length / timeTicksMax);
  return ticks.filter((_, index) => index % step === 0);
}

/** In percent of the time between. */
function placeOf(at: Date, from: Date, to: Date): number {
  const span = to.getTime() - from.getTime();
  // A clock that was set back leaves times outside.
  return span <= 0 ? 50 : Math.min(100, Math.max(0, ((at.getTime() - from.getTime()) / span) * 100));
}

export interface StepPoint {
  readonly at: Date;
  readonly value: number;
}

interface StepChartProps {
  /** Oldest first. */
  readonly points: readonly StepPoint[];
  /** Null for steps of equal width, however long they took. */
  readonly until: Date | null;
  readonly label: string;
}

/** A line for a total that changes in steps. */
export function StepChart({ points, until, label }: StepChartProps) {
  const [first] = points;
  if (first === undefined) return null;
  const { ticks, max } = scaleOf(Math.max(...points.map(({ value }) => value)), 1);
  const y = (value: number): string => (100 * (1 - value / max)).toFixed(2);
  let line = `M0 ${y(first.value)}`;
  for (const [index, { at, value }] of points.entries()) {
    const place = until === null ? (100 * index) / points.length : placeOf(at, first.at, until);
    if (index > 0) line += `H${place.toFixed(2)}V${y(value)}`;
  }
  line += 'H100';
  const below = until === null ? stepTicks(points) : timeTicks(first.at, until);
  return (
    <Plot label={label} ticks={ticks} max={max} below={below}>
      <svg x={across(0)} y={plot.top} width={`${100 - plot.left}%`} height={plot.height}>
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height="100%">
          <path class="area" d={`${line}V100H0Z`} />
          <path class="line" d={line} />
        </svg>
      </svg>
    </Plot>
  );
}

const stepTicksMax = 4;

/** Names the days of some steps, or their times if all are of one day. */
function stepTicks(points: readonly StepPoint[]): readonly { readonly at: number; readonly text: string }[] {
  const isOneDay = new Set(points.map(({ at }) => dayOf(at))).size === 1;
  const named = new Map<string, number>();
  const every = Math.ceil(points.length / stepTicksMax);
  for (let index = 0; index < points.length; index += every) {
    const at = points[index]?.at;
    if (at === undefined) continue;
    const text = isOneDay ? timeOf(at) : `${at.getUTCDate()} ${monthOf(at)}`;
    if (!named.has(text)) named.set(text, (100 * (index + 0.5)) / points.length);
  }
  return [...named].map(([text, at]) => ({ at, text }));
}

interface Scale {
  readonly ticks: readonly number[];
  readonly max: number;
}

/**
 * Round ticks from 0 to above `top`.
 * @param stepMin 1 for what is counted
 */
export function scaleOf(top: number, stepMin = 0): Scale {
  const rough = Math.max(stepMin, top / 3) || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough;
  const count = Math.max(1, Math.ceil(top / step));
  const ticks = Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
  return { ticks, max: Number((count * step).toPrecision(12)) };
}

interface IntervalBarProps {
  readonly score: number;
  readonly low: number;
  readonly high: number;
  /** The numbers of the scale below it. */
  readonly children?: ComponentChildren;
}

/** A score of 100 with its interval as a band. */
export function IntervalBar({ score, low, high, children }: IntervalBarProps) {
  const label = `${pointsText(score)}, 95% interval ${pointsText(low)} to ${pointsText(high)}`;
  return (
    <svg class={children === undefined ? 'bar' : 'bar large'} role="img" aria-label={label}>
      <rect class="axis" y="3.5" width="100%" height="1" />
      <rect class="band" x={`${low}%`} y="0" width={`${Math.max(high - low, 0.5)}%`} height="8" rx="4" />
      <circle class="dot" cx={`${score}%`} cy="4" r="4" />
      {children}
    </svg>
  );
}

interface ScoreFigureProps extends Omit<IntervalBarProps, 'children'> {
  /** Such as `of 100`. */
  readonly unit: string;
  readonly at: Date | null;
}

/** A score in large letters beside its interval. */
export function ScoreFigure({ unit, at, ...scored }: ScoreFigureProps) {
  return (
    <div class="figure">
      <div>
        <p class="numeral">{pointsText(scored.score)}</p>
        <p class="facts">
          {unit}
          {at === null ? null : ' on '}
          {at === null ? null : <Day at={at} />}
          <br />
          95% interval {pointsText(scored.low)} to {pointsText(scored.high)}
        </p>
      </div>
      <IntervalBar {...scored}>
        {scoreTicks.map((value) => (
          <text
            key={value}
            x={`${value}%`}
            y="26"
            text-anchor={value === 0 ? 'start' : value === 100 ? 'end' : 'middle'}
          >
            {value}
          </text>
        ))}
      </IntervalBar>
    </div>
  );
}
