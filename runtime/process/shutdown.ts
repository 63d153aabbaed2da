/**
 * The orderly end of a process: steps registered as things were opened run in reverse, each against its deadline, so
 * that nothing that hangs (a BullMQ worker without its Redis, say) can keep the process alive.
 */

/** What is needed of a logger here; the supervisor does without the full one to stay small. */
export interface ShutdownLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface Shutdown {
  /**
   * Registers what to do at the end. Steps run one after the other, the last registered first, as what was opened
   * last leans on what was opened before. A step that fails or passes its deadline is logged and left behind.
   */
  onShutdown(name: string, step: () => unknown, timeoutMs: number): void;
  /** Aborts as soon as the end begins, before the first step runs. */
  readonly signal: AbortSignal;
  /**
   * Begins the end without a signal, for example after a fault; later calls change nothing. Never resolves.
   * @param reason for the log; null where it has been told
   */
  begin(reason: string | null, exitCode?: number): Promise<never>;
}

export interface ShutdownOptions {
  readonly logger: ShutdownLog;
  /** For tests; the default ends the process. */
  readonly exit?: (code: number) => void;
}

interface Step {
  readonly name: string;
  readonly run: () => unknown;
  readonly timeoutMs: number;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** 128 + SIGINT, as shells report a command that was interrupted. */
const interruptedExitCode = 130;
/** One Ctrl-C under npm arrives twice: from the terminal, and passed on by npm. So the second must be meant. */
const sameSignalWithinMs = 500;
/** Much more often than the supervisor asks for, so that a late one is not taken for the last. */
const heartbeatEveryMs = 1_000;
/** Set in the environment of a process that the supervisor starts, see cli/supervisor. */
export const supervised = 'AGENT_HUB_SUPERVISED';

/**
 * Installs the signal handlers of this process; call it once, first thing in a `main.ts`. The first SIGINT, SIGTERM or
 * SIGHUP begins the orderly end with exit code 0, a later one exits at once. A process that the supervisor started also
 * ends when the supervisor is gone, even by SIGKILL: the kernel then closes the channel between the two.
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
 * Tells the supervisor, if there is one, that this process serves, and from then on that its event loop still turns and how
 * large it has grown. Call it once, when requests are answered or jobs taken.
 */
export function announceReady(): void {
  if (process.env[supervised] === undefined) return;
  process.send?.({ ready: true });
  const beating = setInterval(() => {
    if (process.connected) process.send?.({ residentBytes: process.memoryUsage.rss() });
  }, heartbeatEveryMs);
  beating.unref();
}

async function runSteps(steps: readonly Step[], logger: ShutdownLog): Promise<void> {
  for (const step of steps.toReversed()) {
    const outcome = await settleWithin(step);
    if (outcome !== 'done')
      logger.error({ step: step.name, ...outcome }, 'a step of the shutdown did not complete');
  }
}

async function settleWithin({
  run,
  timeoutMs,
}: Step): Promise<'done' | { timeoutMs: number } | { err: unknown }> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<{ timeoutMs: number }>((resolve) => {
    timer = setTimeout(() => resolve({ timeoutMs }), timeoutMs);
  });
  const work = Promise.try(run).then(
    () => 'done' as const,
    (err: unknown) => ({ err }),
  );
  const outcome = await Promise.race([work, deadline]);
  clearTimeout(timer);
  return outcome;
}
