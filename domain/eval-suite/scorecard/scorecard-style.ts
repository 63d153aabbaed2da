/**
 * The one style sheet of the HTML scorecard. Its text is a constant, so that a Content-Security-Policy can allow it
 * by hash; for the same reason no element carries a style attribute.
 */
export const scorecardStyle = `
:root { color-scheme: light dark; --ink: #1b212c; --soft: #5a6373; --line: #dde1e8; --page: #fff; --panel: #f6f7f9;
  --good: #19784a; --bad: #b3372f; --warn: #875c00; --bar: #3461c2; --band: #9db6ea; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --soft: #9ca5b5; --line: #333b49; --page: #13171e;
  --panel: #1b212b; --good: #58c98c; --bad: #f18a80; --warn: #e2b250; --bar: #7aa2f7; --band: #3d5590; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 2rem 1.25rem 4rem; background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.35rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2.5rem 0 .75rem; }
h3 { font-size: .95rem; margin: 1.5rem 0 .5rem; } h4 { font-size: .8125rem; margin: 1rem 0 .25rem; color: var(--soft); }
p { margin: .5rem 0; } .soft { color: var(--soft); } .small { font-size: .875rem; }
.good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .125rem 1rem; margin: .75rem 0 0; font-size: .875rem; }
.facts dt { color: var(--soft); } .facts dd { margin: 0; overflow-wrap: anywhere; }
.score { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1.5rem; margin: 1.75rem 0 1rem; }
.score strong { font-size: 3.25rem; line-height: 1; font-variant-numeric: tabular-nums; }
.score svg { flex: 1 1 18rem; height: 3rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .75rem; }
.tile { background: var(--panel); border: 1px solid var(--line); border-radius: .5rem; padding: .625rem .875rem; }
.tile b { display: block; font-size: 1.35rem; font-variant-numeric: tabular-nums; }
.tile span { display: block; font-size: .8125rem; line-height: 1.35; color: var(--soft); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
th { font-size: .8125rem; color: var(--soft); font-weight: 600; }
th, td { text-align: left; padding: .4375rem 1rem .4375rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td small { display: block; color: var(--soft); }
svg { display: block; max-width: 100%; } .bar { width: 10rem; height: .875rem; margin-top: .3rem; }
svg text { fill: var(--soft); font: 11px system-ui, sans-serif; }
.track { fill: var(--line); } .fill { fill: var(--bar); } .band { fill: var(--band); } .needle { stroke: var(--ink); stroke-width: 3; }
.grid { stroke: var(--line); } .mark { stroke: var(--soft); stroke-dasharray: 4 3; }
.bar-passed { fill: var(--good); } .bar-failed { fill: var(--bad); } .bar-error { fill: var(--warn); }
details { border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0; background: var(--panel); }
summary { cursor: pointer; padding: .5rem .875rem; overflow-wrap: anywhere; } details > div { padding: 0 .875rem .875rem; }
.status { display: inline-block; min-width: 4rem; font-weight: 600; }
pre { margin: 0; padding: .75rem; background: var(--page); border: 1px solid var(--line); border-radius: .375rem;
  white-space: pre-wrap; overflow-wrap: anywhere; font: .8125rem/1.5 ui-monospace, monospace; max-height: 30rem; overflow-y: auto; }
ul { list-style: none; margin: 0; padding: 0; } li { overflow-wrap: anywhere; padding: .125rem 0; }
@media print { body { max-width: none; padding: 0; font-size: .75rem; } pre { max-height: none; overflow: visible; }
  .tile, tr, li { break-inside: avoid; } details::details-content { content-visibility: visible; block-size: auto; } }
`;
