/**
 * `npm run long -- NAME`: the long form of some tests, which takes minutes or hours. Further words go to `bun test`, or to the
 * program named. Settings in the environment win over those below.
 */
export interface LongForm {
  readonly what: string;
  /** After `bun`. */
  readonly command: readonly string[];
  readonly settings?: Readonly<Record<string, string>>;
}

/** Of one test, in ms. */
const anHour = String(60 * 60 * 1_000);

const suites = { TEST_SEED: 'random', TEST_TIMEOUT_MS: anHour };

const forms: Readonly<Record<string, LongForm>> = {
  chaos: {
    what: 'kills workers and Redis during a sale of seats for three minutes',
    command: ['test', 'test/workers/seats-chaos'],
    settings: { CHAOS_SECONDS: '180' },
  },
  crash: {
    what: 'kills the API and workers at each step of their work, 1,000 times; CRASH_KILLS=100 for fewer',
    command: ['test', 'test/crash'],
    settings: { CRASH_KILLS: '1000' },
  },
  doors: {
    what: 'third-party programs against a hub: MCP clients and conformance, skills, OpenAI, frameworks, Node',
    command: ['test', 'test/doors'],
    settings: { DOORS: 'all', TEST_TIMEOUT_MS: anHour },
  },
  failovers: {
    what: 'only the failovers of a replicated Redis, eight under each of four hubs',
    command: ['test', 'test/faults/failover'],
    settings: { FAULTS: 'all' },
  },
  faults: {
    what: 'breaks Redis, both stores and the network to them, and measures the recovery',
    command: ['test', 'test/faults'],
    settings: { FAULTS: 'all' },
  },
  fuzz: {
    what: '20,000 requests drawn from /openapi.json; --requests 1000000 --seed S --store postgres',
    command: ['test/fuzz/main.ts'],
  },
  graders: {
    what: 'the graders of suites over 1,000 runs',
    command: ['test', 'test/evals/own-suite'],
    settings: { ...suites, SUITE_RUNS: '1000' },
  },
  model: {
    what: '100,000 random requests, compared with both stores and a model; MODEL_STEPS=1000000 for more',
    command: ['test', '--parallel=3', 'test/model'],
    settings: { MODEL_STEPS: '100000', TEST_SEED: 'random' },
  },
  pooled: {
    what: 'the tests of the store on a Postgres behind pgbouncer',
    command: [
      'test',
      '--parallel=3',
      ...'domain api actors workers model'.split(' ').map((folder) => `test/${folder}`),
    ],
    settings: { TEST_POSTGRES_POOLED: '1' },
  },
  soak: {
    what: 'an hour of mixed load, watching for growth; SOAK_MINUTES=10 SOAK_STORE=postgres',
    command: ['test', 'test/soak/soak.test.ts'],
    settings: { SOAK_MINUTES: '60' },
  },
  worlds: {
    what: 'the health check and agent runs over 30 seeds; SUITE_RUNS=1000 for more',
    command: ['test', 'test/evals/week', 'test/evals/health'],
    settings: { ...suites, SUITE_RUNS: '30' },
  },
};

const [name = '', ...words] = process.argv.slice(2);
const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
if (form === undefined) {
  const width = Math.max(...Object.keys(forms).map((each) => each.length));
  console.error('npm run long -- NAME\n');
  for (const [each, { what }] of Object.entries(forms)) console.error(`  ${each.padEnd(width)}  ${what}`);
  process.exit(name === '' || name === '--help' ? 0 : 2);
}
const child = Bun.spawn([process.execPath, ...form.command, ...words], {
  stdio: ['inherit', 'inherit', 'inherit'],
  env: { ...form.settings, ...process.env },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
process.exit(await child.exited);
