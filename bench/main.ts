/** `npm run bench`: measures the hub beside bare baselines on both stores and prints one table for each. */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONFIGURATION_EXIT_CODE } from '#runtime/exit-codes.ts';
import {
  type BenchArguments,
  BenchArgumentsError,
  benchHelp,
  parseBenchArguments,
  type StoreName,
} from './arguments.ts';
import { connections, startLoadGenerator } from './load/load-generator.ts';
import { measures } from './measures/measures.ts';
import { probeDisk } from './probe-disk.ts';
import { sizes } from './sizes.ts';
import { type BenchStore, sqliteStore, startPostgresStore } from './stores/bench-stores.ts';
import { format, formatTable, type Row } from './table.ts';

const INTERRUPTED_EXIT_CODE = 130;

const titles: Readonly<Record<StoreName, string>> = {
  sqlite: 'SQLite (WAL, synchronous=FULL)',
  postgres: 'Postgres (fsync and synchronous_commit on)',
};

const words = readArguments();
const startedAt = performance.now();
const everything = new AsyncDisposableStack();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void everything.disposeAsync().then(() => process.exit(INTERRUPTED_EXIT_CODE)));
}
try {
  await bench(words);
} finally {
  await everything.disposeAsync();
}
console.log(`\nDone after ${format((performance.now() - startedAt) / 1000)} s.`);

function readArguments(): BenchArguments {
  try {
    const words = parseBenchArguments(process.argv.slice(2));
    if (words !== null) return words;
    console.log(benchHelp);
    process.exit(0);
  } catch (error) {
    if (!(error instanceof BenchArgumentsError)) throw error;
    console.error(`${error.message}\n\n${benchHelp}`);
    process.exit(CONFIGURATION_EXIT_CODE);
  }
}

async function bench({ size, only, stores }: BenchArguments): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-hub-bench-'));
  everything.defer(() => rm(folder, { recursive: true, force: true }));
  const load = await startLoadGenerator(folder);
  everything.defer(() => load.stop());
  const { length: cores, 0: core } = cpus();
  console.log(
    `Agent Hub benchmark, size ${size}, ${connections} connections, ${cores} × ${core?.model ?? 'unknown'}, Bun ${Bun.version}.\n` +
      `A write takes ${format(probeDisk(folder), 2)} ms to reach the disk of ${folder}.`,
  );
  for (const name of stores) {
    const store = await openStore(name, folder);
    const rows: Row[] = [];
    for (const measure of only) {
      await using stack = new AsyncDisposableStack();
      const environment = { store, size: sizes[size], load, folder, stack };
      rows.push(...(await measures[measure].measure(environment)));
    }
    console.log(formatTable(titles[name], rows));
  }
}

async function openStore(name: StoreName, folder: string): Promise<BenchStore> {
  switch (name) {
    case 'sqlite':
      return sqliteStore(folder);
    case 'postgres': {
      const store = await startPostgresStore(join(folder, 'postgres'));
      everything.defer(() => store.stop());
      return store;
    }
  }
}
