/** Goes through all accounts, a few each round, and tells what it found: in the metrics, and in the log once a pass. */
import type { Ctx } from '#domain/context.ts';
import { checkLedgers } from '#domain/tokens/check-ledgers.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { counter, gauge } from '#runtime/tracing/metrics.ts';

const driftAccounts = gauge(
  'hub_ledger_drift_accounts',
  'Accounts whose balance, lots and last entry do not agree. Must be 0.',
);
const driftTokens = gauge('hub_ledger_drift_tokens', 'By how many tokens those accounts are off. Must be 0.');
const checkedAccounts = counter('hub_ledger_checked_accounts_total', 'Accounts looked at.');

interface Found {
  readonly accounts: number;
  readonly tokens: number;
}

const nothing: Found = { accounts: 0, tokens: 0 };

/** @returns the work of a round; it says 0, as what is left has time until the next round */
export function createLedgerWatch(ctx: Ctx, logger: Logger): () => Promise<number> {
  let after: string | null = null;
  let inThisPass = nothing;
  let inLastPass = nothing;
  return async () => {
    const { checked, mismatches, last } = await checkLedgers(ctx, { after });
    after = last;
    checkedAccounts.inc(checked);
    inThisPass = mismatches.reduce(
      (found, { tokens }) => ({ accounts: found.accounts + 1, tokens: found.tokens + tokens }),
      inThisPass,
    );
    for (const { agentId, tokens } of mismatches) {
      logger.error({ agent: agentId, amount: tokens }, 'an account does not agree with its lots and entries');
    }
    // What the last pass found stands until this one has been everywhere.
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
