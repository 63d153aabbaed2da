/** One style element and no style attributes, so that a Content-Security-Policy can allow it by its hash. */
const lines = `
:root{color-scheme:light dark;--paper:#fcfbf8;--sheet:#fff;--ink:#1a1d26;--soft:#5b6070;--line:#e1dfd8;--wash:#f2f0ea;--accent:#2f55a8;--band:#dbe3f4;--good:#17683f;--good-wash:#dcebe2;--bad:#a8322a;--bad-wash:#f8e4e1;--warn:#7a5200;--warn-wash:#f8ecd2}
@media screen and (prefers-color-scheme:dark){:root{--paper:#14171c;--sheet:#191d24;--ink:#e5e6e8;--soft:#9aa1ad;--line:#2a2f38;--wash:#1f242c;--accent:#8fb0f2;--band:#24324f;--good:#6cc998;--good-wash:#1b3327;--bad:#f0938a;--bad-wash:#3a2322;--warn:#e0b35c;--warn-wash:#372c17}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 Inter,'Segoe UI',Roboto,'Helvetica Neue','Noto Sans',Arial,sans-serif;overflow-wrap:anywhere}
main{max-width:56rem;margin:0 auto;padding:2rem 1.2rem 4rem}
h1,h2,.numeral{font-family:Charter,'Iowan Old Style','Noto Serif',Georgia,serif;line-height:1.2;margin:0}
h1{font-size:clamp(1.5rem,4.5vw,2.1rem)}
h2{font-size:1.25rem;margin:2.2rem 0 .7rem}
h1 small,h2 small{font-size:.7em;font-weight:400;color:var(--soft)}
h3{font-size:.8rem;margin:.9rem 0 .25rem;color:var(--soft);font-weight:600}
p{margin:.4rem 0}
a{color:var(--accent)}
code,pre{font-family:'SF Mono','Cascadia Code',Consolas,'Noto Sans Mono',monospace;font-size:.85em}
pre{white-space:pre-wrap;margin:0;padding:.6rem .8rem;background:var(--wash);border-radius:6px}
.soft,.meta,summary code{color:var(--soft)}
.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}
.chip{display:inline-block;border-radius:1rem;padding:.05rem .6rem;font:600 .78rem/1.6 inherit;font-size:.78rem;font-weight:600;background:var(--wash);color:var(--soft);white-space:nowrap}
.chip.good{background:var(--good-wash);color:var(--good)}.chip.bad{background:var(--bad-wash);color:var(--bad)}.chip.warn{background:var(--warn-wash);color:var(--warn)}
.note{background:var(--wash);border-left:3px solid var(--accent);padding:.5rem .8rem;border-radius:0 6px 6px 0}
.note.bad{border-color:var(--bad)}
.findings li{margin:.5rem 0}
.figures{display:grid;grid-template-columns:auto 1fr;gap:1rem 2.5rem;margin-top:1.8rem;padding:1.4rem;background:var(--sheet);border:1px solid var(--line);border-radius:10px}
.numeral{font-size:3.4rem;line-height:1;font-weight:700;letter-spacing:-.03em}
svg{display:block;width:100%}
.interval{height:1.1rem;margin:.4rem 0 1rem}
.share{height:.45rem}
.track{fill:var(--wash)}.band{fill:var(--band)}.mark{fill:var(--accent)}
.tiles{display:flex;flex-wrap:wrap;gap:.6rem 2rem;margin:0 0 .8rem}
.tiles dt{font-size:.8rem;color:var(--soft)}
.tiles dd{margin:0;font-size:1.3rem;font-weight:600;font-variant-numeric:tabular-nums}
table{border-collapse:collapse;width:100%}
th{font-size:.8rem;color:var(--soft)}
td,th{text-align:left;padding:.3rem .8rem .3rem 0;border-bottom:1px solid var(--line)}
td:nth-child(n+3),th:nth-child(n+3){text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.wide{width:40%}
.cases{list-style:none;margin:0;padding:0;background:var(--sheet);border:1px solid var(--line);border-radius:10px}
.cases li+li{border-top:1px solid var(--line)}
summary{padding:.6rem .9rem;cursor:pointer}
details[open]>summary{border-bottom:1px solid var(--line)}
summary:focus-visible{outline:2px solid var(--accent);outline-offset:-2px}
details>:not(summary){margin-left:.9rem;margin-right:.9rem}
details>:last-child{margin-bottom:.9rem}
.meta{font-size:.85rem}
.line{display:block;font-size:.85rem;color:var(--soft)}
.line.warn{color:var(--warn)}
@media(max-width:40rem){main{padding:1.2rem .8rem 3rem}.figures{grid-template-columns:1fr;padding:1rem}.wide{display:none}}
@media print{.cases,.figures{break-inside:auto}pre{border:1px solid var(--line)}}`;

export const reportStyle = lines.trim().replaceAll('\n', '');
