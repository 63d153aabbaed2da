/** Measured agents beside other scores. */
import { type MeasuredNorm, runsOf } from '#evals/scorecard/measured-norm.ts';
import { ShareBar } from './charts.tsx';

export function NormList({ norms }: { readonly norms: readonly MeasuredNorm[] }) {
  if (norms.length === 0) return null;
  return (
    <section>
      <h2>Measured agents</h2>
      <ul class="bars single norms">
        {norms.map((norm) => (
          <li key={norm.label}>
            <span>{norm.label}</span>
            <ShareBar percent={norm.score} label={`${norm.label}: ${norm.score}`} />
            <span class="num">{norm.score.toFixed(1)}</span>
            <span class="soft small">{runsOf(norm)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
