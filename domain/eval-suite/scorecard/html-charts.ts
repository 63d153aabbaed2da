/** The charts of the HTML scorecard, as inline SVG that is coloured by class alone. */
import type { CaseResult } from '../eval-case.ts';
import { escapeHtml } from './escape-html.ts';
import type { LatencySummary } from './score-json-schema.ts';

/** A bar for a score of 0 to 100. */
export function renderBar(score: number): string {
  return `<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label="${score.toFixed(1)} of 100"><rect class="track" width="100" height="8" rx="1.5"/><rect class="fill" width="${score.toFixed(1)}" height="8" rx="1.5"/></svg>`;
}

/** Where a score stands on the scale. */
const at = (score: number) => (20 + score * 5.6).toFixed(1);

/** The score on a scale of 0 to 100, with its interval as a band. */
export function renderScale(score: number, low: number, high: number): string {
  const ticks = [0, 25, 50, 75, 100].map(
    (tick) => `<text x="${at(tick)}" y="46" text-anchor="middle">${tick}</text>`,
  );
  const label = `Score ${score.toFixed(1)}, 95 % interval ${low.toFixed(1)} to ${high.toFixed(1)}`;
  return `<svg viewBox="0 0 600 50" role="img" aria-label="${label}"><rect class="track" x="20" y="14" width="560" height="12" rx="3"/><rect class="band" x="${at(low)}" y="14" width="${((high - low) * 5.6).toFixed(1)}" height="12" rx="3"/><line class="needle" x1="${at(score)}" x2="${at(score)}" y1="8" y2="32"/>${ticks.join('')}</svg>`;
}

const width = 960;
const height = 180;
const left = 64;
const right = 96;
const bottom = 24;
const top = 12;

/** One bar per case in the order of the run, with the median and the 90th percentile across. */
export function renderLatencyChart(results: readonly CaseResult[], latency: LatencySummary): string {
  const longest = Math.max(1, ...results.map((result) => result.latency_ms ?? 0));
  const step = (width - left - right) / results.length;
  const y = (ms: number) => height - bottom - ((height - bottom - top) * ms) / longest;
  const bars = results.map((result, position) => {
    const ms = result.latency_ms ?? 0;
    const barTop = Math.min(y(ms), height - bottom - 2);
    const title = `${result.id}: ${result.status}${result.latency_ms === null ? ', no time taken' : `, ${Math.round(ms)} ms`}`;
    return `<rect class="bar-${result.status}" x="${(left + position * step + step * 0.15).toFixed(1)}" y="${barTop.toFixed(1)}" width="${(step * 0.7).toFixed(1)}" height="${(height - bottom - barTop).toFixed(1)}"><title>${escapeHtml(title)}</title></rect>`;
  });
  const end = width - right;
  // The higher line has its name above it and the lower one below, so that close figures stay readable.
  const levels = [
    { ms: latency.p90_ms, name: 'p90', offset: -3 },
    { ms: latency.p50_ms, name: 'p50', offset: 11 },
  ].map(
    ({ ms, name, offset }) =>
      `<line class="mark" x1="${left}" x2="${width}" y1="${y(ms).toFixed(1)}" y2="${y(ms).toFixed(1)}"/><text x="${width}" y="${(y(ms) + offset).toFixed(1)}" text-anchor="end">${name} ${ms} ms</text>`,
  );
  const scale = [0, longest].map(
    (ms) =>
      `<line class="grid" x1="${left}" x2="${end}" y1="${y(ms).toFixed(1)}" y2="${y(ms).toFixed(1)}"/><text x="${left - 6}" y="${(y(ms) + 4).toFixed(1)}" text-anchor="end">${Math.round(ms)} ms</text>`,
  );
  const label = `Latency per case: median ${latency.p50_ms} ms, 90th percentile ${latency.p90_ms} ms, longest ${latency.max_ms} ms`;
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">${scale.join('')}${bars.join('')}${levels.join('')}<text x="${left}" y="${height - 6}">cases in the order of the run: green passed, red failed, amber in error</text></svg>`;
}
