/**
 * The charts of the HTML scorecard: inline SVG, coloured by class. Lengths are percentages, so that a chart
 * scales with the page while its text keeps its size.
 */
import { escapeHtml } from './safe-text.ts';
import type { LatencySummary } from './score-json-schema.ts';
import type { ShownCase } from './shown-case.ts';

/** The score on a scale of 0 to 100, with its interval as a band. */
export function renderScale(score: number, low: number, high: number): string {
  const ticks = [0, 25, 50, 75, 100].map((tick) => {
    const anchor = tick === 0 ? 'start' : tick === 100 ? 'end' : 'middle';
    return `<text x="${tick}%" y="42" text-anchor="${anchor}">${tick}</text>`;
  });
  const label = `Score ${score.toFixed(1)}, 95% interval ${low.toFixed(1)} to ${high.toFixed(1)}`;
  return `<svg class="scale" role="img" aria-label="${label}"><rect class="track" y="10" width="100%" height="12" rx="4"/><rect class="band" x="${percent(low)}" y="10" width="${percent(high - low)}" height="12" rx="4"/><line class="needle" x1="${percent(score)}" x2="${percent(score)}" y1="5" y2="27"/>${ticks.join('')}</svg>`;
}

/** In milliseconds below a second, else in seconds. */
export function showTime(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** Heights in the latency chart, in pixels. The style sheet makes it 190 high. */
const top = 14;
const floor = 160;
/** Labels closer than this would overlap. */
const labelHeight = 13;

/** One bar per case in the order of the run, with the median and the 90th percentile across. */
export function renderLatencyChart(results: readonly ShownCase[], latency: LatencySummary): string {
  const longest = Math.max(1, ...results.map((result) => result.latency_ms ?? 0));
  const y = (ms: number) => floor - ((floor - top) * ms) / longest;
  const step = 100 / results.length;
  const bars = results.map((result, position) => renderLatencyBar(result, position * step, step, y));
  const p90 = y(latency.p90_ms);
  const p50 = Math.max(y(latency.p50_ms), p90 + labelHeight);
  const line = (ms: number, kind: string) =>
    `<line class="${kind}" x1="0" x2="100%" y1="${y(ms).toFixed(1)}" y2="${y(ms).toFixed(1)}"/>`;
  const label = `Latency per case: median ${latency.p50_ms} ms, 90th percentile ${latency.p90_ms} ms, longest ${latency.max_ms} ms`;
  return `<div class="chart" role="img" aria-label="${label}"><svg class="axis"><text x="100%" y="${y(longest) + 4}" text-anchor="end">${showTime(longest)}</text><text x="100%" y="${floor + 4}" text-anchor="end">0</text></svg><svg class="plot">${line(longest, 'grid')}${line(0, 'grid')}${renderStageMark(results, step)}${bars.join('')}${line(latency.p90_ms, 'mark')}${line(latency.p50_ms, 'mark')}</svg><svg class="levels"><text x="0" y="${(p90 + 4).toFixed(1)}">p90 ${showTime(latency.p90_ms)}</text><text x="0" y="${(p50 + 4).toFixed(1)}">p50 ${showTime(latency.p50_ms)}</text></svg></div>
<p class="legend soft small"><span class="key passed">passed</span> <span class="key failed">failed</span> <span class="key error">in error, not timed</span></p>`;
}

function renderLatencyBar(result: ShownCase, start: number, step: number, y: (ms: number) => number): string {
  const time = result.latency_ms === null ? 'not timed' : `${Math.round(result.latency_ms)} ms`;
  const title = `<title>${escapeHtml(`${result.id}: ${result.status}, ${time}`)}</title>`;
  if (result.latency_ms === null) {
    return `<text class="bar-error" x="${percent(start + step / 2)}" y="${floor - 4}" text-anchor="middle">✗${title}</text>`;
  }
  const barTop = Math.min(y(result.latency_ms), floor - 2);
  return `<rect class="bar-${result.status}" x="${percent(start + step * 0.14)}" y="${barTop.toFixed(1)}" width="${percent(step * 0.72)}" height="${(floor - barTop).toFixed(1)}">${title}</rect>`;
}

/** A thin line where the second stage begins. */
function renderStageMark(results: readonly ShownCase[], step: number): string {
  const first = results.findIndex(({ stage }) => stage === 2);
  if (first <= 0) return '';
  const x = percent(first * step);
  return `<line class="grid" x1="${x}" x2="${x}" y1="${top}" y2="${floor}"/>`;
}

function percent(value: number): string {
  return `${value.toFixed(2)}%`;
}
