/** The command `evaluate`: runs an agent on a suite or an evaluation of the hub, and sets the exit code, for CI. */
import { appendFileSync, mkdirSync } from 'node:fs';
import type { BearerTokenList, Run } from '../api-types.ts';
import { ChallengeError } from '../challenge.ts';
import { Hub } from '../hub.ts';
import { HubError } from '../hub-error.ts';
import { openKeyFile } from '../key-file.ts';
import { cachedIn } from './cache.ts';
import { ask, askText, type Connection, explain, noHub, NotPossible } from './connection.ts';
import { writeFailedReports } from './failed-reports.ts';
import { findSuite } from './find-suite.ts';
import { usage } from './flags.ts';
import {
  type Environment,
  type Options,
  parseOptions,
  readHeaders,
  UsageFault,
  warningsOf,
} from './options.ts';
import { type Column, readMatrix, withoutMatrix } from './matrix.ts';
import { type Judges, openJudges } from './judges.ts';
import { environmentOf, type ProgramAgent, requireProgram, startEachTime, startOnce } from './programs.ts';
import {
  cancel,
  checkBaseline,
  failureText,
  finish,
  order,
  regrade,
  type Report,
  reportPath,
  type Suite,
} from './run.ts';
import { findOpenRun } from './resume.ts';
import { shown } from './printed.ts';
import { tryProgram, tryTarget } from './try-agent.ts';
import { changedIn, fileState, stateOf, takeCtrlC, untilChanged } from './watch.ts';
import { exitCodes, isEndpoint, printJson, report, writeReport, writeTrace } from './write-reports.ts';

const wrongFlags = 3;
const progressEvery = 10;
const barWidth = 30;
const cancelMs = 10_000;
const sameSignalMs = 500;
/** Runs in a row during which watched files changed. An agent that writes among them would be run without end. */
const disturbedMax = 2;

/** @returns the exit code: 0 all bars held, 1 one fell short, 2 the run was not possible, 3 wrong flags */
export async function evaluateCommand(words: readonly string[], environment: Environment): Promise<number> {
  if (words.includes('--help') || words.includes('-h')) {
    process.stdout.write(usage);
    return exitCodes.held;
  }
  const stopping = new AbortController();
  const release = (): void => void process.removeListener('SIGINT', stop).removeListener('SIGTERM', stop);
  const stop = (): void => {
    stopping.abort(new NotPossible('Interrupted.'));
    // A second signal ends the process at once, but `npx` repeats the Ctrl-C that the terminal has already sent.
    setTimeout(release, sameSignalMs).unref();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  let options: Options | null = null;
  try {
    options = parseOptions(words, environment);
    if (options.matrix !== undefined) {
      const own = { options, words: withoutMatrix(words), columns: readMatrix(options.matrix) };
      return await evaluateMatrix(own, environment, stopping.signal);
    }
    if (options.watch !== undefined) return await evaluateAgain(options, environment, stopping.signal);
    return exitCodes[(await evaluateWith(options, environment, stopping.signal, new Map())).outcome];
  } catch (error) {
    return reportFault(error, options, environment);
  } finally {
    // The Ctrl-C that `npx` repeats may still come.
    if (!stopping.signal.aborted) release();
  }
}

/** @returns the exit code */
function reportFault(error: unknown, options: Options | null, environment: Environment): number {
  const message = explain(error);
  process.stderr.write(shown(`error: ${message}\n`));
  writeFailedReports(options ?? {}, environment['GITHUB_STEP_SUMMARY'], message);
  if (options?.json === true) printJson({ outcome: 'not_possible', error: message });
  return error instanceof UsageFault ? wrongFlags : exitCodes.not_possible;
}

interface MatrixOrder {
  readonly options: Options;
  readonly words: readonly string[];
  readonly columns: readonly Column[];
}

/** @returns the exit code of the run that did worst */
async function evaluateMatrix(
  { options, words, columns }: MatrixOrder,
  environment: Environment,
  signal: AbortSignal,
): Promise<number> {
  // Before anything is run.
  const runs = columns.map(({ label, words: own }) => ({
    label,
    chosen: parseOptions([...words, ...own, `--label=${label}`], environment),
  }));
  const runBefore: string[] = [];
  for (const { label, chosen } of runs) {
    const { only, baseline = 'latest' } = chosen;
    if ((only === 'failed' || only === 'errors') && runBefore.includes(baseline))
      throw new UsageFault(
        `--only ${only} in a matrix needs --baseline with another run or label. Otherwise ${label} asks what became of a label before it.`,
      );
    runBefore.push('latest', `branch:${label}`);
  }
  let exitCode: number = exitCodes.held;
  const done: string[] = [];
  let last: Run | null = null;
  for (const { label, chosen } of runs) {
    process.stderr.write(`== ${label}\n`);
    try {
      const { outcome, run } = await evaluateWith(chosen, environment, signal, new Map());
      exitCode = Math.max(exitCode, exitCodes[outcome]);
      last = run;
      done.push(label);
    } catch (error) {
      exitCode = reportFault(error, null, environment);
      if (signal.aborted) return exitCode;
    }
  }
  if (last === null || done.length < 2)
    throw new NotPossible('Fewer than two runs ended, so there is no table.');
  const hub = await connect(options, environment, signal);
  await printMatrix(hub, last, done, options.json ? 'json' : 'md');
  return exitCode;
}

/** The cases of the suite of a run by label, and the page that shows them. */
async function printMatrix(
  hub: Connection,
  { suite: { name } }: Run,
  labels: readonly string[],
  format: 'json' | 'md',
): Promise<void> {
  const query = new URLSearchParams({ labels: labels.join(','), format });
  const path = `/v1/suites/${name}/matrix?${query.toString()}`;
  if (format === 'json') printJson(await ask(hub, 'GET', path));
  else process.stdout.write(shown(`${await askText(hub, path)}\n`));
  const page = new URLSearchParams({ q: labels.join(',') });
  process.stderr.write(shown(`${hub.url}/suites/${name}/matrix?${page.toString()}\n`));
}

/**
 * Each run is compared with the one before, unless `--baseline` names another.
 * @returns the exit code of the last run
 */
async function evaluateAgain(
  options: Options,
  environment: Environment,
  signal: AbortSignal,
): Promise<number> {
  const { 'suite-file': file = options.import, watch: more = [], cache, junit, markdown, trace } = options;
  const paths = [file, ...more].filter((path) => path !== undefined);
  const except = [cache, junit, markdown, trace].filter((path) => path !== undefined);
  if (paths.length === 0) throw new UsageFault('--watch needs --suite-file, --import or a PATH.');
  let compared = options;
  let exitCode: number = exitCodes.not_possible;
  let disturbed = 0;
  for (;;) {
    // Those that the suite names, as far as they were read.
    const named = new Map<string, string>();
    const state = stateOf({ paths, except });
    try {
      const { outcome, run } = await evaluateWith(compared, environment, signal, named);
      exitCode = exitCodes[outcome];
      compared = { ...options, baseline: options.baseline ?? run.id };
    } catch (error) {
      exitCode = reportFault(error, options, environment);
      if (signal.aborted || error instanceof UsageFault) return exitCode;
    }
    const also =
      named.size === 0 ? '' : ` and ${named.size} ${named.size === 1 ? 'file' : 'files'} named there`;
    const look = () => [...stateOf({ paths, except }), ...[...named.keys()].map(fileState)];
    const [before, after] = [[...state, ...named.values()], look()];
    const changed = changedIn(before, after);
    disturbed = changed === null ? 0 : disturbed + 1;
    const isOwn = disturbed >= disturbedMax;
    if (isOwn)
      process.stderr.write(
        shown(
          `Files have changed during ${disturbed} runs in a row, now ${changed}, so this change starts no run. If your agent writes it, let it write elsewhere; if not, save it again.\n`,
        ),
      );
    const stopped = new AbortController();
    const giveBack = takeCtrlC(() => stopped.abort());
    process.stderr.write(`Waiting for changes to ${paths.join(', ')}${also}. Press Ctrl-C to stop.\n`);
    const over = AbortSignal.any([signal, stopped.signal]);
    try {
      await untilChanged(look, isOwn ? after : before, over);
    } catch {
      return exitCode;
    } finally {
      giveBack();
    }
  }
}

async function evaluateWith(
  options: Options,
  environment: Environment,
  signal: AbortSignal,
  named: Map<string, string>,
): Promise<{ readonly outcome: Report['outcome']; readonly run: Run }> {
  // Before anything is paid for.
  for (const flag of ['junit', 'markdown', 'trace'] as const) {
    const path = options[flag];
    if (path !== undefined && !isEndpoint(path)) writeReport(flag, path, () => appendFileSync(path, ''));
  }
  const { cache, label, cmd } = options;
  if (cache !== undefined) writeReport('cache', cache, () => mkdirSync(cache, { recursive: true }));
  const headers = Object.fromEntries(readHeaders('TRACE_HEADERS', environment));
  const hub = await connect(options, environment, signal);
  let agent: ProgramAgent | null = null;
  let judges: Judges | null = null;
  try {
    const suite = await findSuite(hub, options, named);
    await checkBaseline(hub, options, suite);
    if (suite !== null) judges = await openJudges(hub, options, environment, suite, sayOnce());
    agent = startAgent(options, environment, hub.token);
    const open = await findOpenRun(hub, options, suite);
    const run = open ?? (await startRun(hub, options, { suite, agent }));
    const { done, total } = run.progress;
    const state = open === null ? 'has started' : `goes on after ${done} of ${total}`;
    process.stderr.write(shown(`Run ${run.id} of ${run.suite.name} ${state}.\n`));
    const onProgress = progressOn(process.stderr);
    const cached = agent === null || cache === undefined ? null : cachedIn(cache, [label, cmd], agent);
    const ended = await finish(hub, options, { run, agent: cached ?? agent, onProgress }).catch(
      async (error: unknown) => {
        agent?.close();
        // Below the bar.
        if (process.stderr.isTTY) process.stderr.write('\n');
        if (signal.aborted && options.resume !== undefined)
          throw new NotPossible(`Interrupted. The run stays open: --resume ${run.id} continues it.`);
        const cancelled = await cancel({ ...hub, signal: AbortSignal.timeout(cancelMs) }, run);
        throw new NotPossible(`${explain(signal.aborted ? signal.reason : error)} ${cancelled}`);
      },
    );
    if (ended.status === 'failed') throw new NotPossible(failureText(ended));
    await judges?.judge(run, progressOn(process.stderr)).catch((error: unknown) => {
      if (process.stderr.isTTY) process.stderr.write('\n');
      const why = explain(signal.aborted ? signal.reason : error);
      throw new NotPossible(`${why} The replies are stored: --resume ${run.id} asks the judges again.`);
    });
    const read = async (format: string) => askText(hub, reportPath(ended, options, format));
    const outcome = await report(options, environment['GITHUB_STEP_SUMMARY'], read);
    for (const warning of warningsOf(options)) process.stderr.write(`Warning: ${warning}\n`);
    if (options.trace !== undefined) await writeTrace(options.trace, await read('otlp'), headers, signal);
    if (cached !== null) {
      const { kept, all } = cached.count;
      process.stderr.write(`${kept} of ${all} replies came from the cache ${cache}.\n`);
    }
    const labels = options['compare-label']?.split(',') ?? [];
    if (labels.length > 0) await printMatrix(hub, run, [...labels, label ?? ''], 'md').catch(sayNoRun);
    return { outcome, run };
  } finally {
    agent?.close();
    judges?.close();
    if (options.key !== undefined) await logOut({ ...hub, signal: AbortSignal.timeout(cancelMs) });
  }
}

/** The first run with a label has no other to stand beside. */
function sayNoRun(error: unknown): void {
  if (!(error instanceof HubError) || error.code !== 'run_not_found') throw error;
  process.stderr.write(shown(`There is no table. ${error.message}\n`));
}

async function startRun(
  hub: Connection,
  options: Options,
  { suite, agent }: { readonly suite: Suite | null; readonly agent: ProgramAgent | null },
): Promise<Run> {
  if (options.regrade !== undefined) {
    if (suite === null)
      throw new UsageFault('--regrade needs --suite, --suite-file or --import. Only suites have versions.');
    return regrade(hub, options, suite);
  }
  if (agent !== null) await tryProgram(hub, options, agent, suite);
  const target = options.target === null ? null : await tryTarget(hub, options.target, suite);
  return order(hub, { ...options, target }, suite, sayOnce());
}

/** Otherwise every run in CI would leave a token behind. */
async function logOut(hub: Connection): Promise<void> {
  try {
    const { tokens } = (await ask(hub, 'GET', '/v1/agents/me/tokens')) as BearerTokenList;
    const own = tokens.find(({ current }) => current);
    if (own !== undefined) await ask(hub, 'DELETE', `/v1/agents/me/tokens/${own.id}`);
  } catch {
    // The result counts, and the agent can revoke the token later.
  }
}

async function connect(
  { hub, key, handle }: Options,
  environment: Environment,
  signal: AbortSignal,
): Promise<Connection> {
  // Pasted values often end with a line break.
  const url = (hub ?? environment['HUB_URL'] ?? '').trim().replace(/(?<!\/)\/+$/, '');
  if (url === '') throw new NotPossible('There is no hub. Set HUB_URL, or add --hub URL.');
  if (!/^https?:\/\/\S+$/.test(url)) throw new NotPossible('HUB_URL must be an http or https URL.');
  if (key === undefined) {
    const token = (environment['HUB_TOKEN'] ?? '').trim();
    if (token === '') throw new NotPossible('There is no token. Set HUB_TOKEN, or add --key FILE.');
    // The error of a request would quote it.
    if (!/^[!-~]+$/.test(token))
      throw new NotPossible(
        'HUB_TOKEN has a character that no token has, such as a space or a line break. Set it anew.',
      );
    return { url, token, signal };
  }
  const token = await logIn(url, key, handle).catch((error: unknown) => {
    // A `fetch` that fails throws one.
    throw error instanceof TypeError ? noHub(url, error) : error;
  });
  return { url, token, signal };
}

async function logIn(url: string, path: string, name: string | undefined): Promise<string> {
  const { handle, ...key } = await openKeyFile(url, path, name);
  try {
    return (await Hub.logIn(url, { handle, key })).token ?? '';
  } catch (error) {
    // The key was stored, but its sign-up never reached the hub.
    if (name !== undefined && error instanceof HubError && error.code === 'unknown_handle')
      return (await Hub.signUp(url, { handle, key })).token ?? '';
    if (!(error instanceof ChallengeError) || error.field !== 'public_key') throw error;
    throw new NotPossible(
      `${path} of --key is not the key of ${handle}: the hub at ${url} has another one. Name the file with that key, or another agent with --handle.`,
    );
  }
}

function startAgent(options: Options, environment: Environment, token: string): ProgramAgent | null {
  const { cmd: command, serve, timeout } = options;
  if (command === undefined) return null;
  const own = environmentOf(environment, token);
  const started = { command, timeoutSeconds: timeout ?? null, environment: own };
  requireProgram(started);
  return serve ? startOnce(started) : startEachTime(started);
}

const sayEveryMs = 60_000;

/** Says why a run waits, for a place or for its judge, at most once a minute. */
function sayOnce(): (reason: { readonly message: string }) => void {
  let saidAt = -Infinity;
  return ({ message }) => {
    if (performance.now() - saidAt < sayEveryMs) return;
    saidAt = performance.now();
    process.stderr.write(shown(`Waiting: ${message}\n`));
  };
}

/** A bar on a terminal, one line per ten items elsewhere. */
function progressOn(stream: NodeJS.WriteStream): (done: number, total: number) => void {
  let shown = 0;
  return (done, total) => {
    if (done <= shown) return;
    if (stream.isTTY) {
      const filled = Math.round((done / total) * barWidth);
      const bar = `[${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}] ${done}/${total}`;
      stream.write(done === total ? `\r${bar}\n` : `\r${bar}`);
    } else if (Math.floor(done / progressEvery) > Math.floor(shown / progressEvery) || done === total) {
      stream.write(`${done}/${total}\n`);
    }
    shown = done;
  };
}
