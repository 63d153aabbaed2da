/** `npm run bench`: measures the hub and bare baselines on both stores, and prints one table. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configurationExitCode } from '#runtime/process/start-error.ts';
import {
  type BenchArguments,
  BenchArgumentsError,
  benchHelp,
  parseBenchArguments,
  type StoreName,
} from './arguments.ts';
import { startLoadGenerator } from './load/load-generator.ts';
import { describeMachine } from './machine.ts';
import { measures } from './measures/measures.ts';
import { probeDisk } from './probe-disk.ts';
import { sizes } from './sizes.ts';
import { type BenchStore, sqliteStore, startPostgresStore } from './stores/bench-stores.ts';
import { format, formatTable, type Row, type Section } from './table.ts';

const interruptedExitCode = 130;

const titles: Readonly<Record<StoreName, string>> = {
  sqlite: 'WAL, synchronous=FULL',
  postgres: 'fsync and synchronous_commit on',
};

const words = readArguments();
const startedAt = performance.now();
const everything = new AsyncDisposableStack();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void everything.disposeAsync().then(() => process.exit(interruptedExitCode)));
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
    process.exit(configurationExitCode);
  }
}

async function bench({ size, only, stores, hub }: BenchArguments): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-hub-bench-'));
  everything.defer(() => rm(folder, { recursive: true, force: true }));
  const load = await startLoadGenerator(folder);
  everything.defer(() => load.stop());
  const sections: Section[] = [];
  for (const name of stores) {
    const store = await openStore(name, folder);
    const rows: Row[] = [];
    for (const measure of only) {
      const begunAt = performance.now();
      await using stack = new AsyncDisposableStack();
      const environment = { store, size: sizes[size], load, folder, hub, stack };
      rows.push(...(await measures[measure].measure(environment)));
      console.log(`${name}: ${measure} took ${format((performance.now() - begunAt) / 1_000)} s`);
    }
    sections.push({ title: `${store.version}, ${titles[name]}`, rows });
  }
  console.log(`\nAgent Hub benchmark, size ${size}, ${describeMachine()}`);
  console.log(`A write takes ${format(probeDisk(folder), 2)} ms to reach the disk of ${folder}.`);
  console.log(formatTable(sections));
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
