/** Finds the open run of `--resume`. A run of other flags says nothing about what is to be run now. */
import type { PulledCases, Run, RunList } from '../api-types.ts';
import { leaseSeconds } from '../evaluate.ts';
import { pause } from '../send.ts';
import { ask, type Connection, NotPossible } from './connection.ts';
import { type Options, UsageFault } from './options.ts';
import { shown } from './printed.ts';
import { readRun, type Suite } from './run.ts';

/** An agent has only a few open runs of a suite. */
const openRunsMax = 100;
const lookEveryMs = 1_000;
/** After this many looks, the cases of a client that was killed are free, whatever the clocks say. */
const looksMax = leaseSeconds + 5;

/** @returns the open run of `--resume`; null if a new one starts */
export async function findOpenRun(
  hub: Connection,
  options: Options,
  suite: Suite | null,
): Promise<Run | null> {
  const { resume, product, target, regrade } = options;
  // Grading again asks nobody, so there is no work to continue.
  if (resume === undefined || (resume === 'latest' && regrade !== undefined)) return null;
  const mode = target === null ? 'pull' : 'push';
  const isOfSuite = (run: Run) =>
    run.mode === mode && run.product === product && (suite === null || suite.ref === run.suite.name);
  if (resume !== 'latest') {
    const run = await readRun(hub, resume);
    if (!isOfSuite(run))
      throw new NotPossible(
        `The run ${resume} of --resume is of ${run.product} ${run.suite.name} in ${run.mode} mode. Give the flags with which it was started.`,
      );
    const other = differenceOf(run, options, suite);
    if (other === null) return run;
    throw new UsageFault(
      `The run ${resume} of --resume ${other}. Give the flags and the suite with which it was started.`,
    );
  }
  const filter = new URLSearchParams({ product, limit: String(openRunsMax) });
  if (suite !== null) filter.set('suite', suite.ref);
  const open: Run[] = [];
  for (const status of ['running', 'queued']) {
    filter.set('status', status);
    const { runs } = (await ask(hub, 'GET', `/v1/runs?${filter.toString()}`)) as RunList;
    open.push(...runs.filter(isOfSuite));
  }
  const [newest] = open;
  if (newest === undefined) return null;
  const same = open.filter((run) => differenceOf(run, options, suite) === null);
  for (const run of same) if (mode === 'push' || !(await isAtWork(hub, run))) return run;
  const [left = newest] = same;
  const why = differenceOf(left, options, suite);
  const other =
    why === null ? 'is being answered by another client' : `${why}, unlike the run that the flags ask for`;
  process.stderr.write(shown(`Run ${left.id} is open, but ${other}, so a new run starts.\n`));
  return null;
}

type Facet = readonly [flag: unknown, isSame: boolean, shown: string];

/** An agent run without `--tasks` has this many tasks. */
const tasksDefault = 12;

/**
 * What a run is that the flags do not ask for, in words; null if it is what they ask for. A flag that is not given means
 * its default, but with the id of a run what that run has.
 */
function differenceOf(run: Run, options: Options, suite: Suite | null): string | null {
  const { resume, label, trials, limit, size, tasks, ranked, target } = options;
  const isNamed = resume !== 'latest';
  const { only } = run;
  const some = options.only ?? limit;
  // A run does not show by which rule its cases were chosen.
  const hasSame = only === undefined ? some === undefined : isNamed;
  const asked = trials ?? (isNamed ? run.trials : (suite?.size.trials ?? 1));
  const total = (tasks ?? tasksDefault) * asked;
  const facets: readonly Facet[] = [
    [
      true,
      suite === null || String(suite.version) === run.suite.version,
      `is of version ${run.suite.version}`,
    ],
    [true, isNamed || run.regraded_from === undefined, 'grades stored replies'],
    [true, target === null || originOf(target.url) === originOf(run.target_url), `calls ${run.target_url}`],
    [label, label === run.label, run.label === undefined ? 'has no label' : `has the label ${run.label}`],
    [trials, asked === run.trials, `asks each case ${run.trials === 1 ? 'once' : `${run.trials} times`}`],
    [some, hasSame, only === undefined ? 'asks all cases' : `asks ${only.cases} of ${only.of} cases`],
    [size, (size ?? 'standard') === (run.size ?? 'standard'), `has the size ${run.size}`],
    [
      tasks,
      run.product !== 'agent-run' || total === run.progress.total,
      `has ${run.progress.total / run.trials} tasks`,
    ],
    [ranked, (ranked ?? false) === run.ranked, run.ranked ? 'is ranked' : 'is not ranked'],
  ];
  return facets.find(([flag, isSame]) => !isSame && (flag !== undefined || !isNamed))?.[2] ?? null;
}

/** A probe may have found the path of a target. */
function originOf(url: string | null): string | null {
  return url === null ? null : new URL(url).origin;
}

/**
 * Whether another client answers cases of a run now. One that works ends cases or renews its leases; those of one that was
 * killed only end.
 */
async function isAtWork(hub: Connection, { id }: Run): Promise<boolean> {
  const look = async () => (await ask(hub, 'GET', `/v1/runs/${id}/cases/next?limit=0`)) as PulledCases;
  let before = await look();
  if ((before.leased ?? 0) > 0)
    process.stderr.write(
      `Waiting: another client has cases of the open run ${id}, or had them when it was killed.\n`,
    );
  for (let looks = 0; looks < looksMax; looks += 1) {
    await pause(lookEveryMs, hub.signal);
    const now = await look();
    const [had, has] = [before.leased ?? 0, now.leased ?? 0];
    const isRenewed = had === has && before.next_at !== now.next_at;
    if (now.ended || now.remaining < before.remaining || has > had || isRenewed) return true;
    if (has === 0) return false;
    before = now;
  }
  return true;
}
