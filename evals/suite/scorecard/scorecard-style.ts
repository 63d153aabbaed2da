/**
 * The style sheet of the HTML scorecard. It is a constant so that a Content-Security-Policy can allow it by
 * hash. For the same reason no element has a style attribute.
 */
export const scorecardStyle = `
:root { color-scheme: light dark; --ink: #1b212c; --soft: #5a6373; --line: #dde1e8; --page: #fff; --panel: #f6f7f9;
  --good: #19784a; --bad: #b3372f; --warn: #875c00; --bar: #3461c2; --band: #9db6ea;
  --good-wash: #e3f3ea; --bad-wash: #fbe9e7; --warn-wash: #fdf1d8; }
@media screen and (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --soft: #9ca5b5; --line: #333b49; --page: #13171e;
  --panel: #1b212b; --good: #58c98c; --bad: #f18a80; --warn: #e2b250; --bar: #7aa2f7; --band: #3d5590;
  --good-wash: #173326; --bad-wash: #3b2120; --warn-wash: #3a2f17; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 2.25rem 1.25rem 4rem; background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.35rem; margin: 0; } h2 { font-size: 1.15rem; margin: 2.75rem 0 .5rem; }
h3 { font-size: .95rem; margin: 1.5rem 0 .5rem; } h4 { font-size: .8125rem; margin: 1rem 0 .25rem; color: var(--soft); }
p { margin: .25rem 0 .5rem; } .soft { color: var(--soft); } .small { font-size: .875rem; }
a { color: var(--bar); text-underline-offset: .15em; }
a:focus-visible, summary:focus-visible, input:focus-visible { outline: 2px solid var(--bar); outline-offset: 2px; }
.good, .case.passed .status { color: var(--good); } .bad, .case.failed .status { color: var(--bad); }
.warn, .case.error .status { color: var(--warn); }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .125rem 1rem; margin: .75rem 0 0; font-size: .875rem; }
.facts dt { color: var(--soft); } .facts dd { margin: 0; overflow-wrap: anywhere; }
.score { display: flex; flex-wrap: wrap; align-items: center; gap: .75rem 2rem; margin: 1.75rem 0 1.25rem; }
.score > div { display: flex; align-items: center; gap: 1rem; } .score span { font-size: .9375rem; line-height: 1.4; }
.score strong { font-size: 3.5rem; line-height: 1; font-variant-numeric: tabular-nums; letter-spacing: -.02em; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(10.5rem, 1fr)); gap: .75rem; }
.tile { background: var(--panel); border: 1px solid var(--line); border-radius: .5rem; padding: .625rem .875rem; }
.tile b { display: block; font-size: 1.35rem; line-height: 1.4; font-variant-numeric: tabular-nums; }
.tile span { display: block; font-size: .8125rem; line-height: 1.35; color: var(--soft); }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
th { font-size: .8125rem; color: var(--soft); font-weight: 600; white-space: nowrap; }
th, td { text-align: left; padding: .5rem 0 .5rem 1.25rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th:first-child, td:first-child { padding-left: 0; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td small { display: block; max-width: 26rem; color: var(--soft); } td.figure { font-weight: 600; }
.failures td.links { width: 45%; } .ladder td.rung { padding: .5rem; text-align: center; } .rung small { font-size: .75rem; }
.ladder th.number:not(:last-child) { text-align: center; } .rung.high { background: var(--good-wash); color: var(--good); }
.rung.middle { background: var(--warn-wash); color: var(--warn); } .rung.low { background: var(--bad-wash); color: var(--bad); }
.values { display: grid; grid-template-columns: max-content 1fr; gap: .125rem 1rem; margin: .75rem 0 0; font-size: .9375rem; }
.values dt { color: var(--soft); } .values dd { margin: 0; overflow-wrap: anywhere; }
svg { display: block; width: 100%; overflow: visible; } svg text { fill: var(--soft); font: 11px system-ui, sans-serif; }
.score .scale { flex: 1 1 18rem; width: auto; height: 46px; }
.track { fill: var(--line); } .band { fill: var(--band); } .needle { stroke: var(--ink); stroke-width: 3; }
.cells { display: flex; flex-wrap: wrap; gap: .1875rem; margin-top: .4375rem; }
.cell { width: 1.3125rem; height: 1.3125rem; border-radius: .25rem; font-size: .75rem; line-height: 1.3125rem; text-align: center;
  font-weight: 700; text-decoration: none; } .cell:hover { outline: 2px solid currentColor; }
.cell.passed { background: var(--good-wash); color: var(--good); } .cell.failed { background: var(--bad-wash); color: var(--bad); }
.cell.error { background: var(--warn-wash); color: var(--warn); }
.chart { display: flex; margin-top: .75rem; } .chart svg { height: 190px; } .chart .axis { flex: 0 0 2.75rem; width: 2.75rem; }
.chart .plot { flex: 1; width: auto; min-width: 0; margin: 0 .5rem; } .chart .levels { flex: 0 0 4.5rem; width: 4.5rem; }
.grid { stroke: var(--line); } .mark { stroke: var(--soft); stroke-dasharray: 4 3; }
.bar-passed { fill: var(--good); } .bar-failed { fill: var(--bad); } svg .bar-error { fill: var(--warn); font-weight: 700; }
.key::before { content: ''; display: inline-block; width: .625rem; height: .625rem; border-radius: .125rem; margin-right: .375rem; }
.key { margin-right: .75rem; } .key.passed::before { background: var(--good); } .key.failed::before { background: var(--bad); }
.key.error::before { background: var(--warn); } .legend { margin: 0 0 0 3.25rem; }
.choice { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; border: 0; margin: 0; padding: 0; font-size: .9375rem; }
.choice legend { float: left; padding: 0; line-height: 1.7; } .choice input { margin: 0 .25rem 0 0; accent-color: var(--bar); }
main:has(#show-missed:checked) :is(.case.passed, .group:not(:has(.failed, .error))) { display: none; }
.case { border: 1px solid var(--line); border-left: .25rem solid var(--good); border-radius: .375rem; margin: .375rem 0; background: var(--panel); }
.case.failed { border-left-color: var(--bad); } .case.error { border-left-color: var(--warn); }
.case:has(:target) { outline: 2px solid var(--bar); outline-offset: 1px; }
summary { cursor: pointer; padding: .4375rem .875rem; overflow-wrap: anywhere; } .case > div { padding: 0 .875rem .875rem; scroll-margin-top: 5rem; }
.status { display: inline-block; min-width: 4.5rem; font-weight: 600; } .teaser { display: block; padding-left: 1.125rem; }
.case[open] .teaser { display: none; }
pre { margin: 0; padding: .75rem; background: var(--page); border: 1px solid var(--line); border-radius: .375rem;
  white-space: pre-wrap; overflow-wrap: anywhere; font: .8125rem/1.5 ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace;
  max-height: 30rem; overflow-y: auto; }
ul { list-style: none; margin: 0; padding: 0; font-size: .9375rem; } li { overflow-wrap: anywhere; padding: .125rem 0; }
@media (max-width: 46rem) {
  body { padding: 1.25rem 1rem 3rem; } .ladder thead, .failures thead, .failures td.links { display: none; }
  .ladder tr { display: grid; grid-template-columns: repeat(5, minmax(0, 1fr)) auto; padding: .5rem 0; border-bottom: 1px solid var(--line); }
  .ladder td { border: 0; } .ladder td.rung { padding: .5rem .125rem; } .ladder td.name { grid-column: 1 / -1; padding: 0 0 .375rem; }
  td.name small { display: none; } .legend { margin-left: 0; } .chart .levels { flex-basis: 3.75rem; width: 3.75rem; }
}
@media print {
  :root { color-scheme: light; } body { max-width: none; padding: 0; font-size: .75rem; } .choice { display: none; } pre { max-height: none; overflow: visible; }
  .tile, tr, li, .chart, summary { break-inside: avoid; } h2, h3, h4, summary { break-after: avoid; } a { color: inherit; text-decoration: none; }
  * { print-color-adjust: exact; } .teaser { display: none; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
`;
