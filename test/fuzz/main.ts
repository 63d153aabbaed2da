/**
 * `npm run fuzz -- --requests N --seed S --store sqlite|postgres --lanes N --minutes N`: a long run of what `fuzz.test.ts`
 * does in short. With one lane a seed is answered alike each time; with more it is faster.
 */
import { parseArgs } from 'node:util';
import { runFuzz } from './run-fuzz.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    store: { type: 'string', default: 'sqlite' },
    lanes: { type: 'string', default: '16' },
    minutes: { type: 'string', default: '1440' },
  },
});
const [requests, seed, lanes, minutes] = [values.requests, values.seed, values.lanes, values.minutes].map(
  Number,
);
const lanesMax = 256;
if (
  !isWhole(requests, 1) ||
  !isWhole(seed, 0) ||
  !isWhole(lanes, 1) ||
  lanes > lanesMax ||
  !isWhole(minutes, 1) ||
  !/^(sqlite|postgres)$/.test(values.store)
) {
  console.error(
    `Usage: npm run fuzz -- [--requests N] [--seed S] [--store sqlite|postgres] [--lanes N, at most ${lanesMax}] [--minutes N]`,
  );
  process.exit(2);
}
const dialect = values.store === 'postgres' ? 'postgres' : 'sqlite';
console.log(`Sending ${requests} requests of seed ${seed} to a hub on ${dialect}, ${lanes} at once.`);
const startedAt = performance.now();
const toldEveryMs = 30_000;
let toldAt = startedAt;
const report = await runFuzz({
  dialect,
  requests,
  seed,
  lanes,
  lastsMaxMs: minutes * 60_000,
  onFault: (fault) => console.error(`\n${fault}`),
  onProgress: ({ sent, heapMb, rssMb }, faults) => {
    if (performance.now() - toldAt < toldEveryMs) return;
    toldAt = performance.now();
    const aSecond = Math.round((sent / (performance.now() - startedAt)) * 1_000);
    console.log(
      `${sent} sent, ${aSecond} a second; heap ${heapMb.toFixed(1)} MB, ${rssMb.toFixed(0)} MB in all; ${faults} faults`,
    );
  },
});
console.log(`\n${report.sent} requests. Answers by status: ${JSON.stringify(report.byStatus)}`);
console.log(`Never carried out: ${report.neverCarriedOut.join(', ') || 'none'}.`);
console.log(`Sent again, as the hub was not ready: ${report.askedAgain}.`);
for (const { said } of report.memory) console.log(said);
process.exit(report.faults.length > 0 ? 1 : 0);

function isWhole(value: number | undefined, least: number): value is number {
  return Number.isSafeInteger(value) && value !== undefined && value >= least;
}
