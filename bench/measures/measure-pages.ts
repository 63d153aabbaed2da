/**
 * The latency of each page among a million agents, threads and runs, compared with a page that reads nothing, and how
 * much a crawler slows down the API.
 */
import { fillTourHub } from '#test/site/tour/fill-tour-hub.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';
import type { BenchEnvironment } from '../bench-environment.ts';
import { compareRounds, median } from '../compare-rounds.ts';
import { deepPaths, findVisits, pathOf, type Visit } from '../growth/page-paths.ts';
import { getRequest, prepareRequests } from '../load/load-generator.ts';
import { atMost, format, type Row } from '../table.ts';
import { latency, type LoadRound, runLoadRound } from './load-round.ts';
import { type MeasuredHub, roundsOf, startHub } from './measure-growth.ts';

/** One request at a time, because a visitor waits for one page. */
const connections = 1;
const apiConnections = 8;
const p50AimMs = 3;
const crawlEveryMs = 50;
/** The highest p99 of the API beside a crawler, relative to the p99 without one. */
const aim = 1.5;
const plainPage = { name: '/sign-in', path: '/sign-in', cookie: undefined };

type PageHub = MeasuredHub & { readonly visits: readonly Visit[] };

export async function measurePages(env: BenchEnvironment): Promise<readonly Row[]> {
  const hub = await startPageHub(env);
  const agents = format(env.size.growthAgents);
  const rows: Row[] = [
    {
      measure: `with ${agents} agents, ms p50 / p99 / CPU, 1 connection`,
      baseline: '/sign-in',
      ratio: 'CPU',
    },
  ];
  const slowest = { ms: 0, name: '' };
  for (const path of [...hub.visits.map(pathOf), ...deepPaths]) {
    const { subject, baseline } = await compareRounds(
      env.size.rounds,
      roundsOf(env, hub, pathOf(plainPage), connections),
      roundsOf(env, hub, path, connections),
    );
    const p50Ms = median(subject.map((round) => round.p50Ms));
    if (p50Ms > slowest.ms) Object.assign(slowest, { ms: p50Ms, name: path.name });
    rows.push({
      measure: `  ${path.name}`,
      hub: costs(subject),
      baseline: costs(baseline),
      ratio: format(median(subject.map(({ cpuUs }, at) => cpuUs / (baseline[at]?.cpuUs ?? Number.NaN))), 2),
      aim: atMost(p50AimMs, p50Ms),
    });
  }
  return [
    ...rows,
    {
      measure: `  the slowest p50, ms: ${slowest.name}`,
      hub: format(slowest.ms, 1),
      aim: atMost(p50AimMs, slowest.ms),
    },
    await measureCrawler(env, hub),
  ];
}

/** With the CPU time of the API for each request, which waiting does not change. */
function costs(rounds: readonly LoadRound[]): string {
  return `${latency(rounds)} / ${format(median(rounds.map(({ cpuUs }) => cpuUs / 1_000)), 1)}`;
}

/** Among the agents are one with many rows of every kind, and a maintainer. */
async function startPageHub(env: BenchEnvironment): Promise<PageHub> {
  let visits: readonly Visit[] = [];
  const hub = await startHub(env, 'pages', env.size.growthAgents, async (db, setting) => {
    await using tour = new AsyncDisposableStack();
    const filled = await fillTourHub('many', { db, setting, remove: () => Promise.resolve() });
    tour.defer(() => filled.close());
    visits = await findVisits(filled);
    return { MAINTAINER_DIDS: filled.maintainerDid, SECRET_KEY: testSecretKey };
  });
  return { ...hub, visits };
}

/** Opens all public pages in turn, twenty a second. */
function crawl({ api, visits }: PageHub): () => Promise<void> {
  const urls = visits.filter(({ cookie }) => cookie === undefined).map(({ path }) => path);
  const opened: Promise<unknown>[] = [];
  let next = 0;
  const timer = setInterval(() => {
    const path = urls[next % urls.length]!;
    next += 1;
    opened.push(fetch(`http://127.0.0.1:${api.port}${path}`).then((response) => response.text()));
  }, crawlEveryMs);
  return async () => {
    clearInterval(timer);
    await Promise.all(opened);
  };
}

async function measureCrawler(env: BenchEnvironment, hub: PageHub): Promise<Row> {
  const requests = hub.callers.map(({ bearerToken }) => getRequest('/v1/agents/me', bearerToken));
  const order = {
    requests: prepareRequests(`${hub.requestsFile}-crawler`, requests),
    repeat: true,
    maxMs: env.size.roundMs,
    connections: apiConnections,
  };
  const plain = () => runLoadRound(env.load, hub.api, order);
  const { subject, baseline } = await compareRounds(env.size.rounds, plain, async () => {
    const stop = crawl(hub);
    const round = await plain();
    await stop();
    return round;
  });
  const ratio = median(subject.map(({ p99Ms }, index) => p99Ms / (baseline[index]?.p99Ms ?? Number.NaN)));
  return {
    measure: 'GET /v1/agents/me beside 20 pages/s, ms p50 / p99, 8 connections',
    hub: latency(subject),
    baseline: `${latency(baseline)} without`,
    ratio: format(ratio, 2),
    aim: atMost(aim, ratio),
  };
}
