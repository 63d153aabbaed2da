/**
 * Checks the ledgers of all accounts, a few per round. Reports drift in the metrics and, once per pass, in
 * the log.
 */
import type { Ctx } from '#domain/context.ts';
import { checkLedgers } from '#domain/tokens/check-ledgers.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { counter, gauge } from '#runtime/tracing/metrics.ts';

const driftAccounts = gauge(
  'hub_ledger_drift_accounts',
  'Accounts whose balance, lots and last entry disagree. Must be 0.',
);
const driftTokens = gauge('hub_ledger_drift_tokens', 'Tokens by which those accounts are off. Must be 0.');
const checks = counter('hub_ledger_checks_total', 'Checks of up to 200 accounts, also of none.');
const checkedAccounts = counter('hub_ledger_checked_accounts_total', 'Accounts checked.');

interface Found {
  readonly accounts: number;
  readonly tokens: number;
}

const nothing: Found = { accounts: 0, tokens: 0 };

/** @returns the work of one round, which always returns 0: the rest can wait for the next round */
export function createLedgerWatch(ctx: Ctx, logger: Logger): () => Promise<number> {
  let after: string | null = null;
  let inThisPass = nothing;
  let inLastPass = nothing;
  return async () => {
    const { checked, mismatches, last } = await checkLedgers(ctx, { after });
    after = last;
    checks.inc();
    checkedAccounts.inc(checked);
    inThisPass = mismatches.reduce(
      (found, { tokens }) => ({ accounts: found.accounts + 1, tokens: found.tokens + tokens }),
      inThisPass,
    );
    for (const { agentId, tokens } of mismatches) {
      logger.error(
        { agent: agentId, amount: tokens },
        'the balance of an account disagrees with its lots and entries',
      );
    }
    // Drift seen in the last pass is reported until the current pass is complete.
    driftAccounts.set(Math.max(inThisPass.accounts, inLastPass.accounts));
    driftTokens.set(Math.max(inThisPass.tokens, inLastPass.tokens));
    if (last === null) {
      inLastPass = inThisPass;
      inThisPass = nothing;
      driftAccounts.set(inLastPass.accounts);
      driftTokens.set(inLastPass.tokens);
    }
    return 0;
  };
}
