/** The latency of each item of a run as a bar, with the median and the 90th percentile across. */
import type { Item, Latency } from '#evals/scorecard/model.ts';
import { showTime } from '#evals/scorecard/safe-text.ts';
import { toneOf } from './items.tsx';

/** In pixels. Widths are percentages, so that the chart scales with the page and its texts do not. */
const top = 18;
const floor = 150;

interface ChartProps {
  /** In the order of the run. */
  readonly items: readonly Item[];
  readonly latency: Latency;
}

export function LatencyChart({ items, latency }: ChartProps) {
  const longest = Math.max(1, ...items.map((item) => latencyOf(item) ?? 0));
  const y = (ms: number) => floor - ((floor - top) * ms) / longest;
  const step = 100 / items.length;
  const label = `Latency per item: median ${showTime(latency.p50_ms)}, 90th percentile ${showTime(latency.p90_ms)}, longest ${showTime(latency.max_ms)}`;
  return (
    <>
      <svg class="chart latency" height={floor + 4} role="img" aria-label={label}>
        {items.map((item, index) => (
          <Bar key={item.key} item={item} x={(index + 0.14) * step} width={step * 0.72} y={y} />
        ))}
        <Level ms={longest} y={y(longest)} name="longest" end="end" />
        <Level ms={latency.p90_ms} y={y(latency.p90_ms)} name="p90" end="start" />
        <Level ms={latency.p50_ms} y={y(latency.p50_ms)} name="median" end="end" />
      </svg>
      <p class="soft small">
        <span class="good">■</span> passed <span class="bad">■</span> failed <span class="warn">✗</span>{' '}
        without a reply
      </p>
    </>
  );
}

interface LevelProps {
  readonly ms: number;
  readonly y: number;
  readonly name: string;
  readonly end: 'start' | 'end';
}

function Level({ ms, y, name, end }: LevelProps) {
  return (
    <>
      <line class="mark" x1="0" x2="100%" y1={y} y2={y} />
      <text x={end === 'start' ? '0' : '100%'} y={y - 4} text-anchor={end}>
        {name} {showTime(ms)}
      </text>
    </>
  );
}

interface BarProps {
  readonly item: Item;
  /** Percentages. */
  readonly x: number;
  readonly width: number;
  readonly y: (ms: number) => number;
}

function Bar({ item, x, width, y }: BarProps) {
  const ms = latencyOf(item);
  const title = `${item.name}: ${item.status}, ${ms === null ? 'not timed' : `${Math.round(ms)} ms`}`;
  if (ms === null) {
    return (
      <text class="warn" x={`${(x + width / 2).toFixed(2)}%`} y={floor - 4} text-anchor="middle">
        ✗<title>{title}</title>
      </text>
    );
  }
  const start = Math.min(y(ms), floor - 2);
  return (
    <rect
      class={toneOf(item)}
      x={`${x.toFixed(2)}%`}
      y={start.toFixed(1)}
      width={`${width.toFixed(2)}%`}
      height={(floor - start).toFixed(1)}
    >
      <title>{title}</title>
    </rect>
  );
}

/** The longest of its trials; null if none was timed. */
function latencyOf({ trials }: Item): number | null {
  const times = trials.flatMap(({ latencyMs }) => (latencyMs === null ? [] : [latencyMs]));
  return times.length === 0 ? null : Math.max(...times);
}
