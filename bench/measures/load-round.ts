/** One round of HTTP load on one server, with the CPU time that it cost the server. */
import type { Server } from '../bench-environment.ts';
import { type Contest, median, type Round } from '../compare-rounds.ts';
import type { LoadGenerator, RoundOrder } from '../load/load-generator.ts';
import { cpuMsOfAll, processTree } from '../processes/process-usage.ts';
import { atMost, format, type Row, spread } from '../table.ts';

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
  const cpuBefore = cpuMsOfAll([server.pid]);
  const allBefore = cpuMsOfChildren();
  const report = await load.run({ ...order, port: server.port });
  const cpuMs = cpuMsOfAll([server.pid]) - cpuBefore;
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
  return cpuMsOfAll(processTree(process.pid).slice(1));
}

/** The most that a request may cost. */
interface CostAims {
  readonly allCpuUs?: number;
  readonly ms?: { readonly p50: number; readonly p99: number };
}

/** The lines below a rate: CPU time per request and latency. */
export function costRows(
  { subject, baseline }: Contest<LoadRound, LoadRound>,
  { allCpuUs, ms }: CostAims = {},
): readonly Row[] {
  const row = (measure: string, digits: number, of: keyof LoadRound, most?: number): Row => {
    const values = subject.map((round) => round[of]);
    return {
      measure: `  ${measure}`,
      hub: spread(values, digits),
      baseline: spread(
        baseline.map((round) => round[of]),
        digits,
      ),
      ...(most === undefined ? {} : { aim: atMost(most, median(values)) }),
    };
  };
  return [
    row('CPU of the process, µs each', 0, 'cpuUs'),
    row('CPU of all processes, µs each', 0, 'allCpuUs', allCpuUs),
    row('answered in, ms p50', 1, 'p50Ms', ms?.p50),
    row('answered in, ms p99', 1, 'p99Ms', ms?.p99),
  ];
}

/** Medians of the rounds, in milliseconds: p50 / p99. */
export function latency(rounds: readonly LoadRound[]): string {
  const p50 = median(rounds.map((round) => round.p50Ms));
  const p99 = median(rounds.map((round) => round.p99Ms));
  return `${format(p50, 1)} / ${format(p99, 1)}`;
}
