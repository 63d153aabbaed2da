/**
 * How the process itself is doing. Not the library's default metrics, which are partly wrong on Bun (field notes): what
 * is here was read from the process and from a timer.
 */
import { heapSize } from 'bun:jsc';
import { counter, gauge } from './metrics.ts';

const residentMemory = gauge('process_resident_memory_bytes', 'Memory of the process in bytes.');
const heap = gauge(
  'process_heap_bytes',
  'What the objects of the process take in bytes, with those that are garbage by now and not yet collected.',
);
const cpuSeconds = counter('process_cpu_seconds_total', 'Processor time of the process, user and system.');
const startTime = gauge('process_start_time_seconds', 'When the process started, as Unix time.');
const loopLag = gauge(
  'hub_event_loop_lag_seconds',
  'How late a timer was at the worst in the last 10 seconds: for so long nothing else could be done.',
);
const info = gauge('hub_info', 'Always 1; the labels tell what runs.', ['version', 'process']);

const lookEveryMs = 500;
/** Windows of this length; the worst of the present one and the one before is told. */
const windowMs = 5_000;

export interface ProcessWatch {
  stop(): void;
}

/** @param process_ what this process is, such as `api` */
export function watchProcess(version: string, process_: string): ProcessWatch {
  info.set({ version, process: process_ }, 1);
  startTime.set(Math.round(Date.now() / 1000 - process.uptime()));
  let worst = 0;
  let worstBefore = 0;
  let windowStart = performance.now();
  let expectedAt = windowStart + lookEveryMs;
  let cpuBefore = 0;

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
    residentMemory.set(process.memoryUsage.rss());
    // A microsecond; the library's statistics by type, which say no more of this, take most of a millisecond.
    heap.set(heapSize());
    const { user, system } = process.cpuUsage();
    const cpu = (user + system) / 1e6;
    cpuSeconds.inc(Math.max(0, cpu - cpuBefore));
    cpuBefore = cpu;
  };
  look();
  const timer = setInterval(look, lookEveryMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
