/**
 * Metrics of the process itself, read from the process and a timer. The library's default metrics are partly
 * wrong on Bun.
 */
import { heapSize } from 'bun:jsc';
import { counterOnDemand, gauge, gaugeOnDemand } from './metrics.ts';

gaugeOnDemand('process_resident_memory_bytes', 'Memory of the process in bytes.', () =>
  process.memoryUsage.rss(),
);
// Not read by the timer: while the garbage collector runs, it takes milliseconds, during which no request is served.
gaugeOnDemand(
  'process_heap_bytes',
  'Heap size in bytes, including garbage that has not been collected.',
  heapSize,
);
counterOnDemand('process_cpu_seconds_total', 'CPU time of the process, user and system.', () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
});
const startTime = gauge('process_start_time_seconds', 'Start time of the process, as Unix time.');
const loopLag = gauge(
  'hub_event_loop_lag_seconds',
  'Worst delay of a timer in the last 10 seconds, during which the event loop was blocked.',
);
const info = gauge('hub_info', 'Always 1. The labels describe what runs.', ['version', 'process']);

const lookEveryMs = 500;
/** Length of a window. The metric reports the worst delay of the current and the previous window. */
const windowMs = 5_000;

export interface ProcessWatch {
  stop(): void;
}

/** @param process_ the kind of process, such as `api` */
export function watchProcess(version: string, process_: string): ProcessWatch {
  info.set({ version, process: process_ }, 1);
  startTime.set(Math.round(Date.now() / 1000 - process.uptime()));
  let worst = 0;
  let worstBefore = 0;
  let windowStart = performance.now();
  let expectedAt = windowStart + lookEveryMs;

  const look = (): void => {
    const now = performance.now();
    worst = Math.max(worst, now - expectedAt);
    if (now - windowStart > windowMs) {
      worstBefore = worst;
      worst = 0;
      windowStart = now;
    }
    expectedAt = now + lookEveryMs;
    loopLag.set(Math.max(worst, worstBefore, 0) / 1000);
  };
  look();
  const timer = setInterval(look, lookEveryMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
