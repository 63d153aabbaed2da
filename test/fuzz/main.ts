/** `npm run long -- fuzz`: the long form of `fuzz.test.ts`. */
import { Command, Option } from 'commander';
import { wholeNumber } from '#cli/hub/arguments.ts';
import { runFuzz } from './run-fuzz.ts';

interface FuzzOptions {
  readonly requests: number;
  /** Random by default. */
  readonly seed?: number;
  readonly store: 'sqlite' | 'postgres';
  readonly lanes: number;
  readonly minutes: number;
}

const mostRequests = 1_000_000_000;
const mostLanes = 256;
const mostMinutes = 10_000;

const command = new Command('npm run long -- fuzz --')
  .description(
    'Sends requests drawn from /openapi.json to a hub and compares each response with the document.',
  )
  .option('--requests <n>', 'how many', wholeNumber(1, mostRequests), 20_000)
  .option('--seed <n>', 'seed of the requests; random by default', wholeNumber(0, mostRequests))
  .addOption(new Option('--store <name>', 'of the hub').choices(['sqlite', 'postgres']).default('sqlite'))
  .option(
    '--lanes <n>',
    'concurrent requests; with one, a seed always gets the same responses',
    wholeNumber(1, mostLanes),
    16,
  )
  .option('--minutes <n>', 'maximum duration', wholeNumber(1, mostMinutes), 1_440)
  // 1 means that faults were found.
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse();
const options: FuzzOptions = command.opts();
const { requests, seed = Date.now() % mostRequests, store: dialect, lanes, minutes } = options;
console.log(`Sending ${requests} requests of seed ${seed} to a hub on ${dialect}, ${lanes} concurrently.`);
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
      `${sent} sent, ${aSecond} per second; heap ${heapMb.toFixed(1)} MB, ${rssMb.toFixed(0)} MB in total; ${faults} faults`,
    );
  },
});
console.log(`\n${report.sent} requests. Responses by status: ${JSON.stringify(report.byStatus)}`);
console.log(`Operations that never succeeded: ${report.neverCarriedOut.join(', ') || 'none'}.`);
console.log(`Retried because the hub was unavailable: ${report.askedAgain}.`);
for (const { said } of report.memory) console.log(said);
process.exit(report.faults.length > 0 ? 1 : 0);
