/** `npm run fuzz -- --requests N --seed S --store sqlite|postgres`: a long run of what `fuzz.test.ts` does in short. */
import { parseArgs } from 'node:util';
import { runFuzz } from './run-fuzz.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    store: { type: 'string', default: 'sqlite' },
  },
});
const [requests, seed] = [Number(values.requests), Number(values.seed)];
if (
  !Number.isSafeInteger(requests) ||
  !Number.isSafeInteger(seed) ||
  !/^(sqlite|postgres)$/.test(values.store)
) {
  console.error('Usage: npm run fuzz -- [--requests N] [--seed S] [--store sqlite|postgres]');
  process.exit(2);
}
const dialect = values.store === 'postgres' ? 'postgres' : 'sqlite';
console.log(`Sending ${requests} requests of seed ${seed} to a hub on ${dialect}.`);
const report = await runFuzz({
  dialect,
  requests,
  seed,
  onProgress: (sent) => void process.stderr.write(`\r${sent}`),
});
console.log(`\nAnswers by status: ${JSON.stringify(report.byStatus)}`);
console.log(`Never carried out: ${report.neverCarriedOut.join(', ') || 'none'}.`);
console.log(`Heap grown by ${Math.round(report.heapGrowthBytes / 1024)} KiB since a quarter of the way.`);
for (const fault of report.faults) console.error(`\n${fault}`);
process.exit(report.faults.length > 0 ? 1 : 0);
