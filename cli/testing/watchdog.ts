/**
 * Ends a test run that takes too long. A test that waits has a timeout of its own, but nothing interrupts a test that
 * computes forever.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { isAlive } from '#runtime/process/is-alive.ts';

/** Three times the duration of a complete run on a slow machine. `TEST_RUN_TIMEOUT_MS` sets another timeout. */
const defaultTimeoutMs = 45 * 60_000;

/** @param loadedFiles where the processes of the run call `recordLoaded` */
export function startWatchdog(runner: Bun.Subprocess, loadedFiles: string): { stop: () => void } {
  const timeoutMs = Number(process.env['TEST_RUN_TIMEOUT_MS'] ?? defaultTimeoutMs);
  const timer = setTimeout(() => {
    const running = runningFiles(runner.pid, loadedFiles);
    const files = [...running.values()].map((file) => `  ${file}\n`).join('');
    console.error(`\nThe test run did not end within ${timeoutMs / 1000} seconds. It was running:\n${files}`);
    // A process that computes forever would not notice that the runner has ended.
    for (const pid of [runner.pid, ...running.keys()]) endProcess(pid);
  }, timeoutMs);
  return { stop: () => clearTimeout(timer) };
}

/** Called when a test file is loaded. */
export function recordLoaded(loadedFiles: string, testFile: string): void {
  // Appends of short lines are atomic across processes.
  appendFileSync(loadedFiles, `${process.pid} ${process.ppid} ${testFile}\n`);
}

/** By process. A worker loads a file when the previous one has ended. */
function runningFiles(runnerPid: number, loadedFiles: string): Map<number, string> {
  const lines = existsSync(loadedFiles) ? readFileSync(loadedFiles, 'utf8').split('\n') : [];
  const running = new Map<number, string>();
  for (const line of lines) {
    const [, pid, parent, file] = /^(\d+) (\d+) (.+)$/.exec(line) ?? [];
    // Some tests run tests themselves.
    const isOfRun = Number(pid) === runnerPid || Number(parent) === runnerPid;
    if (isOfRun && file !== undefined && isAlive(Number(pid))) running.set(Number(pid), file);
  }
  return running;
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

/** Default timeout of tests and hooks; generous, because another process may be using the CPU. */
export const testTimeoutMs = 240_000;
