/**
 * Graceful shutdown. Steps run in reverse order of registration, each with a timeout, so that nothing that
 * hangs (such as a BullMQ worker without Redis) keeps the process alive.
 */

import { within } from '../within.ts';

/** The part of a logger that is used here. The supervisor does not load the full logger, to stay small. */
export interface ShutdownLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface Shutdown {
  /**
   * Registers a step. Steps run one after the other, the last registered first, since later parts depend on
   * earlier ones. A step that fails or times out is logged, and the next one runs.
   */
  onShutdown(name: string, step: () => unknown, timeoutMs: number): void;
  /** Aborts when the shutdown begins, before the first step. */
  readonly signal: AbortSignal;
  /**
   * Begins the shutdown without a signal, e.g. after an error. Later calls have no effect. Never resolves.
   * @param reason for the log; null if it was already logged
   */
  begin(reason: string | null, exitCode?: number): Promise<never>;
}

export interface ShutdownOptions {
  readonly logger: ShutdownLog;
  /** For tests. Exits the process by default. */
  readonly exit?: (code: number) => void;
}

interface Step {
  readonly name: string;
  readonly run: () => unknown;
  readonly timeoutMs: number;
}

export const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** 128 + SIGINT, which shells report for an interrupted command. */
export const interruptedExitCode = 130;
/**
 * One Ctrl-C under npm arrives twice: from the terminal, and forwarded by npm. Only a later one is meant as a
 * second.
 */
const sameSignalWithinMs = 500;
/** Much more often than the supervisor requires, so that a late heartbeat does not count as missing. */
const heartbeatEveryMs = 2_000;
const settledAfterMs = 5_000;
/** Of one core. */
const restingShare = 0.1;
/** Set in the environment of processes that the supervisor starts; see cli/supervisor. */
export const supervised = 'AGENT_HUB_SUPERVISED';

/**
 * Installs the signal handlers of this process. Call it once, first in a `main.ts`. The first SIGINT, SIGTERM
 * or SIGHUP starts a graceful shutdown with exit code 0; a later one exits immediately. A process that the
 * supervisor started also shuts down when the supervisor is gone, even by SIGKILL, because the kernel then
 * closes the channel between them.
 */
export function createShutdown({ logger, exit = (code) => process.exit(code) }: ShutdownOptions): Shutdown {
  const steps: Step[] = [];
  const started = new AbortController();
  const never = new Promise<never>(() => {});

  let startedAt = 0;

  const begin = (reason: string | null, exitCode = 0): Promise<never> => {
    if (started.signal.aborted) return never;
    startedAt = performance.now();
    started.abort();
    if (reason !== null) logger.info({ reason }, 'shutting down');
    void runSteps(steps, logger).then(() => exit(exitCode));
    return never;
  };

  for (const signal of signals) {
    process.on(signal, () => {
      if (!started.signal.aborted) void begin(signal);
      else if (performance.now() - startedAt > sameSignalWithinMs) exit(interruptedExitCode);
    });
  }
  if (process.env[supervised] !== undefined && process.connected) {
    process.on('disconnect', () => void begin('the supervisor is gone'));
  }

  return {
    onShutdown: (name, run, timeoutMs) => void steps.push({ name, run, timeoutMs }),
    signal: started.signal,
    begin,
  };
}

/**
 * Reports to the supervisor, if there is one, that this process is ready, and then regularly that it is alive
 * and how much memory it uses. Call it once, when the process serves requests or takes jobs.
 */
export function announceReady(): void {
  if (process.env[supervised] === undefined) return;
  process.send?.({ ready: true });
  shrinkSoon();
  const beating = setInterval(() => {
    if (process.connected) process.send?.({ residentBytes: process.memoryUsage.rss() });
  }, heartbeatEveryMs);
  beating.unref();
}

/**
 * Frees what only the start, or rare work, needed, once the process has little to do: compiled code and the heaps of ended
 * threads would stay for as long as it rests. A busy process would have to compile its code again.
 */
export function shrinkSoon(afterMs = settledAfterMs): void {
  const before = process.cpuUsage();
  setTimeout(() => {
    const { user, system } = process.cpuUsage(before);
    if ((user + system) / 1000 > afterMs * restingShare) shrinkSoon(afterMs);
    else Bun.shrink();
  }, afterMs).unref();
}

async function runSteps(steps: readonly Step[], logger: ShutdownLog): Promise<void> {
  for (const { name, run, timeoutMs } of steps.toReversed()) {
    try {
      await within(timeoutMs, Promise.try(run), () => new Error(`It took more than ${timeoutMs} ms.`));
    } catch (err) {
      logger.error({ step: name, reason: String(err), err }, 'a shutdown step did not complete');
    }
  }
}
