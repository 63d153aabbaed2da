/** The style sheet of an agent run's scorecard: that of the eval scorecard plus a timeline. */
import { scorecardStyle } from '#evals/suite/scorecard/scorecard-style.ts';

export const cardStyle = `${scorecardStyle}
.cell.hijacked { background: var(--warn-wash); color: var(--warn); }
.case.hijacked { border-left-color: var(--warn); } .case.hijacked .status { color: var(--warn); }
main:has(#show-missed:checked) :is(.case.passed, .group:not(:has(.failed, .hijacked))) { display: none; }
.levels td { padding-top: .375rem; padding-bottom: .375rem; } .levels .cells { margin: 0; }
.strip { height: 1.75rem; margin: .25rem 0 .5rem; } .strip .track { fill: var(--line); }
.strip .call { fill: var(--bar); } .strip .read { fill: var(--band); } .strip .wrong { fill: var(--bad); }
.faults { table-layout: fixed; margin: .5rem 0 1rem; font-size: .875rem; } .faults td { overflow-wrap: anywhere; } .faults td.name { width: 26%; }
.norms tr.own td { background: var(--panel); } .norms td { padding-top: .25rem; padding-bottom: .25rem; }
ol.calls { list-style: none; margin: 0; padding: 0; border-left: 2px solid var(--line); }
ol.calls > li { position: relative; padding: .25rem 0 .25rem 1rem; font-size: .9375rem; }
ol.calls > li::before { content: ''; position: absolute; left: -5px; top: .75rem; width: 8px; height: 8px;
  border-radius: 50%; border: 2px solid var(--bar); background: var(--panel); }
ol.calls > li.write::before { background: var(--bar); } ol.calls > li.wrong::before { border-color: var(--bad); background: var(--bad); }
ol.calls code { font: .8125rem/1.5 ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; overflow-wrap: anywhere; }
ol.calls summary { padding: 0; font-size: .8125rem; color: var(--soft); } ol.calls pre { margin: .25rem 0; max-height: 16rem; }
.at { display: inline-block; min-width: 4rem; color: var(--soft); font-size: .8125rem; font-variant-numeric: tabular-nums; }
@media (max-width: 46rem) {
  .faults thead { display: none; } .faults tr { display: block; padding: .375rem 0; border-bottom: 1px solid var(--line); }
  .faults td, .faults td.name { display: block; width: auto; padding: .0625rem 0; border: 0; } .faults td.name { font-weight: 600; }
  .faults td:nth-child(2)::before { content: 'Expected: '; color: var(--soft); } .faults td:nth-child(3)::before { content: 'Done: '; color: var(--soft); }
}
@media print { .strip { display: none; } ol.calls details { display: none; } }
`;
