/**
 * The latency of each public page with a million agents, threads and runs, compared with a thousand of each, and how
 * much a crawler slows down the API.
 */
import type { BenchEnvironment } from '../bench-environment.ts';
import { compareRounds, median } from '../compare-rounds.ts';
import { pagePaths, pageUrls } from '../growth/page-paths.ts';
import { getRequest, prepareRequests } from '../load/load-generator.ts';
import { atMost, format, type Row } from '../table.ts';
import { latency, runLoadRound } from './load-round.ts';
import { comparePaths, type MeasuredHub, startHubs } from './measure-growth.ts';

/** One request at a time, because a visitor waits for one page. */
const connections = 1;
const apiConnections = 8;
const p50AimMs = 3;
const crawlEveryMs = 50;
/** The highest p99 of the API beside a crawler, relative to the p99 without one. */
const aim = 1.5;

export async function measurePages(env: BenchEnvironment): Promise<readonly Row[]> {
  const hubs = await startHubs(env, 'pages');
  const { rows, slowestMs } = await comparePaths(env, pagePaths, { ...hubs, connections });
  return [
    ...rows,
    { measure: '  the slowest p50, ms', hub: format(slowestMs, 1), aim: atMost(p50AimMs, slowestMs) },
    await measureCrawler(env, hubs.large),
  ];
}

/** Opens all public pages in turn, twenty a second. */
function crawl(hub: MeasuredHub): () => Promise<void> {
  const { callers, api } = hub;
  const opened: Promise<unknown>[] = [];
  let next = 0;
  const timer = setInterval(() => {
    const path = pageUrls[next % pageUrls.length]!(callers[next % callers.length]!);
    next += 1;
    opened.push(fetch(`http://127.0.0.1:${api.port}${path}`).then((response) => response.text()));
  }, crawlEveryMs);
  return async () => {
    clearInterval(timer);
    await Promise.all(opened);
  };
}

async function measureCrawler(env: BenchEnvironment, hub: MeasuredHub): Promise<Row> {
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
