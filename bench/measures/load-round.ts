/** One round of HTTP load on one server, with the CPU time that it cost the server. */
import type { Server } from '../bench-environment.ts';
import type { Round } from '../compare-rounds.ts';
import type { LoadGenerator, RoundOrder } from '../load/load-generator.ts';
import { cpuMsOf, processTree } from '../processes/process-usage.ts';
import { format, type Row, spread } from '../table.ts';
import { median } from '../compare-rounds.ts';

export interface LoadRound extends Round {
  /** CPU time of the server's process per request, in microseconds. */
  readonly cpuUs: number;
  /** The same for all processes of the run: servers, workers, Redis, Postgres and the load generator. */
  readonly allCpuUs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export async function runLoadRound(
  load: LoadGenerator,
  server: Server,
  order: Omit<RoundOrder, 'port'>,
): Promise<LoadRound> {
  const cpuBefore = cpuMsOf(server.pid);
  const allBefore = cpuMsOfChildren();
  const report = await load.run({ ...order, port: server.port });
  const cpuMs = cpuMsOf(server.pid) - cpuBefore;
  const allCpuMs = cpuMsOfChildren() - allBefore;
  return {
    rate: (report.answered * 1000) / report.elapsedMs,
    cpuUs: (cpuMs * 1000) / report.answered,
    allCpuUs: (allCpuMs * 1000) / report.answered,
    p50Ms: report.p50Ms,
    p99Ms: report.p99Ms,
  };
}

/** Of everything that this process has started, without itself. */
function cpuMsOfChildren(): number {
  const [, ...children] = processTree(process.pid);
  return children.reduce((sum, pid) => sum + cpuMsOf(pid), 0);
}

/** The lines below a rate: CPU time per request and latency. */
export function costRows(hub: readonly LoadRound[], baseline: readonly LoadRound[]): readonly Row[] {
  return [
    { measure: '  CPU of the process, µs each', hub: cpu(hub, 'cpuUs'), baseline: cpu(baseline, 'cpuUs') },
    {
      measure: '  CPU of all processes, µs each',
      hub: cpu(hub, 'allCpuUs'),
      baseline: cpu(baseline, 'allCpuUs'),
    },
    { measure: '  answered in, ms p50 / p99', hub: latency(hub), baseline: latency(baseline) },
  ];
}

function cpu(rounds: readonly LoadRound[], of: 'cpuUs' | 'allCpuUs'): string {
  return spread(rounds.map((round) => round[of]));
}

/** Medians of the rounds, in milliseconds: p50 / p99. */
export function latency(rounds: readonly LoadRound[]): string {
  const p50 = median(rounds.map((round) => round.p50Ms));
  const p99 = median(rounds.map((round) => round.p99Ms));
  return `${format(p50, 1)} / ${format(p99, 1)}`;
}
