/** Charts as SVG. Positions are percentages, so that lines stretch with the page and letters keep their size. */
import { pointsText } from '#evals/rates.ts';
import type { ComponentChildren } from 'preact';
import { monthOf } from './dates.tsx';

/** A share of a whole as a bar. */
export function ShareBar({ percent, label }: { readonly percent: number; readonly label: string }) {
  return (
    <svg class="bar" role="img" aria-label={label}>
      <rect class="track" width="100%" height="8" rx="4" />
      <rect class="fill" width={`${Math.min(100, Math.max(0, percent))}%`} height="8" rx="4" />
    </svg>
  );
}

interface FrameProps {
  readonly label: string;
  readonly from: Date;
  readonly to: Date;
  readonly ticks: readonly number[];
  readonly max: number;
  readonly children: ComponentChildren;
}

const plot = { left: 6, width: 94, height: 150, top: 8 };

export function xOf(at: Date, from: Date, to: Date): number {
  const span = to.getTime() - from.getTime();
  return span <= 0 ? 50 : ((at.getTime() - from.getTime()) / span) * 100;
}

/** The grid and axes of a chart over time; the children draw in a plot of 100 by 100. */
function Frame({ label, from, to, ticks, max, children }: FrameProps) {
  return (
    <svg class="chart" height={plot.height + 30} role="img" aria-label={label}>
      {ticks.map((tick) => {
        const y = plot.top + plot.height * (1 - tick / max);
        return (
          <g key={tick}>
            <line class="grid" x1={`${plot.left}%`} x2="100%" y1={y} y2={y} />
            <text x={`${plot.left - 1}%`} y={y + 4} text-anchor="end">
              {tick}
            </text>
          </g>
        );
      })}
      {monthTicks(from, to).map(({ at, name }) => (
        <text
          key={name}
          x={`${plot.left + (xOf(at, from, to) * plot.width) / 100}%`}
          y={plot.height + 26}
          text-anchor="middle"
        >
          {name}
        </text>
      ))}
      <svg x={`${plot.left}%`} y={plot.top} width={`${plot.width}%`} height={plot.height}>
        {children}
      </svg>
    </svg>
  );
}

const monthTicksMax = 6;

function monthTicks(from: Date, to: Date): readonly { readonly at: Date; readonly name: string }[] {
  const ticks = [];
  for (let month = from.getUTCMonth() + 1; ; month += 1) {
    const at = new Date(Date.UTC(from.getUTCFullYear(), month, 1));
    if (at >= to) break;
    ticks.push({
      at,
      name: at.getUTCMonth() === 0 ? String(at.getUTCFullYear()) : monthOf(at),
    });
  }
  const step = Math.ceil(ticks.length / monthTicksMax);
  return ticks.filter((_, index) => index % step === 0);
}

export interface StepPoint {
  readonly at: Date;
  readonly value: number;
}

/** A line for a total that changes in steps, up to `until`. */
export function StepChart({
  points,
  until,
  label,
}: {
  readonly points: readonly StepPoint[];
  readonly until: Date;
  readonly label: string;
}) {
  const [first] = points;
  if (first === undefined) return null;
  const { ticks, max } = scaleOf(Math.max(...points.map(({ value }) => value)));
  const y = (value: number): string => (100 * (1 - value / max)).toFixed(2);
  let line = `M0 ${y(first.value)}`;
  for (const { at, value } of points.slice(1)) line += `H${xOf(at, first.at, until).toFixed(2)}V${y(value)}`;
  line += 'H100';
  return (
    <Frame label={label} from={first.at} to={until} ticks={ticks} max={max}>
      <svg viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height="100%">
        <path class="area" d={`${line}V100H0Z`} />
        <path class="line" d={line} />
      </svg>
    </Frame>
  );
}

/** Round ticks from 0 to above `top`. */
export function scaleOf(top: number): { readonly ticks: readonly number[]; readonly max: number } {
  const rough = Math.max(1, top / 3);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough;
  const max = Math.max(step, Math.ceil(top / step) * step);
  const ticks = Array.from({ length: Math.round(max / step) + 1 }, (_, index) => index * step);
  return { ticks, max };
}
interface IntervalBarProps {
  readonly score: number;
  readonly low: number;
  readonly high: number;
  /** Shows the numbers of the scale. */
  readonly isLarge?: boolean;
}

/** A score of 100 with its interval as a band. */
export function IntervalBar({ score, low, high, isLarge = false }: IntervalBarProps) {
  const label = `${pointsText(score)}, 95% interval ${pointsText(low)} to ${pointsText(high)}`;
  return (
    <svg class={`bar ${isLarge ? 'large' : ''}`} role="img" aria-label={label}>
      <rect class="axis" y="3.5" width="100%" height="1" />
      <rect class="band" x={`${low}%`} y="0" width={`${Math.max(high - low, 0.5)}%`} height="8" rx="4" />
      <circle class="dot" cx={`${score}%`} cy="4" r="4" />
      {isLarge
        ? [0, 25, 50, 75, 100].map((value) => (
            <text
              key={value}
              x={`${value}%`}
              y="26"
              text-anchor={value === 0 ? 'start' : value === 100 ? 'end' : 'middle'}
            >
              {value}
            </text>
          ))
        : null}
    </svg>
  );
}
