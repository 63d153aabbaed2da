/** Renews the leases of all runs that a process has claimed in one transaction, because there may be hundreds. */
import { runLeaseRenewalMs } from '#domain/runs/run-limits.ts';
import type { RunClaim } from '#domain/runs/hold-run.ts';
import type { Logger } from '#runtime/tracing/log.ts';

/** @returns for each claim, in order, whether it still holds */
type RenewLeases = (claims: readonly RunClaim[]) => Promise<readonly boolean[]>;

interface KeptLease {
  readonly claim: RunClaim;
  readonly lost: AbortController;
}

export class LeaseKeeper {
  readonly #renewLeases: RenewLeases;
  readonly #logger: Logger;
  readonly #kept = new Set<KeptLease>();
  readonly #timer: ReturnType<typeof setInterval>;
  #renewing: Promise<void> | null = null;

  constructor(renewLeases: RenewLeases, logger: Logger) {
    this.#renewLeases = renewLeases;
    this.#logger = logger;
    this.#timer = setInterval(() => {
      this.#renewing ??= this.#renew().finally(() => {
        this.#renewing = null;
      });
    }, runLeaseRenewalMs);
    this.#timer.unref();
  }

  /**
   * Renews the lease while `work` runs. The signal fires when the claim is lost. Nothing is renewed once the promise has
   * settled: a renewal after the release would make the next worker wait.
   */
  async whileHolding<T>(claim: RunClaim, work: (lost: AbortSignal) => Promise<T>): Promise<T> {
    const lease = { claim, lost: new AbortController() };
    this.#kept.add(lease);
    try {
      return await work(lease.lost.signal);
    } finally {
      this.#kept.delete(lease);
      await this.#renewing;
    }
  }

  /** Stops renewing. */
  close(): void {
    clearInterval(this.#timer);
  }

  async #renew(): Promise<void> {
    const leases = [...this.#kept];
    if (leases.length === 0) return;
    try {
      const held = await this.#renewLeases(leases.map(({ claim }) => claim));
      leases.forEach(({ lost }, index) => {
        if (held[index] === false) lost.abort();
      });
    } catch (err) {
      this.#logger.warn({ err, runs: leases.length }, 'cannot renew the leases of the runs');
    }
  }
}
