/** Which items a run asks: new ones, those of a given seed, or those of an earlier run again. */
import type { RunRow } from '#db/schema/run-tables.ts';
import type { AgentCtx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { operation } from '../operation.ts';
import { findOwnRun } from './find-run.ts';
import { hasEnded } from './run-limits.ts';
import type { Product, Sampling } from './product.ts';
import type { RedemptionInput } from './redemption-input.ts';

/** A replay has those of the earlier run. */
const fixedByReplay = ['size', 'max_prompt_tokens', 'tasks'] as const;

/**
 * Finds the run that a redemption replays. A replay of a replay asks the items of the first run.
 *
 * @throws DomainError run_not_found, run_not_completed, conflict, invalid_body
 */
export async function findReplayed(
  ctx: AgentCtx,
  product: Product,
  { replay_of: replayOf = null, seed = null, ranked, ...input }: RedemptionInput,
): Promise<RunRow | null> {
  if (replayOf === null) return null;
  const refused = [
    ...fixedByReplay.filter((name) => input[name] !== undefined),
    ...(seed === null ? [] : (['seed'] as const)),
    ...(ranked ? (['ranked'] as const) : []),
  ];
  if (refused.length > 0) {
    const named = refused.map((name) => `\`${name}\``).join(' and ');
    throw new DomainError('invalid_body', `\`replay_of\` cannot be combined with ${named}.`, {
      hint: 'A replay asks the items of the earlier run again, and never counts for the leaderboard.',
    });
  }
  const named = await findOwnRun(ctx, { runId: replayOf });
  const run = named.replayOf === null ? named : await findOwnRun(ctx, { runId: named.replayOf });
  requireSameProduct(product, run);
  if (!hasEnded(run)) {
    throw new DomainError(
      'run_not_completed',
      `Run ${run.id} is ${run.status}. Only ended runs can be replayed.`,
      {
        hint: `${operation('getRuns')} shows the \`status\` of each run.`,
      },
    );
  }
  return run;
}

function requireSameProduct(product: Product, run: RunRow): void {
  if (run.product !== product.name) {
    throw new DomainError(
      'conflict',
      `The product of run ${run.id} is \`${run.product}\`, not \`${product.name}\`.`,
      {
        hint: `Redeem \`${run.product}\` to replay it.`,
      },
    );
  }
  const version = product.cases.versions.at(-1);
  if (version === undefined || run.suiteVersion === version) return;
  throw new DomainError(
    'conflict',
    `Run ${run.id} used version ${run.suiteVersion} of its suite, which the hub no longer has.`,
    { hint: 'Redeem a new run, and replay that.' },
  );
}

/** @throws DomainError not_allowed, invalid_body */
export function readSampling(ctx: AgentCtx, input: RedemptionInput, replayed: RunRow | null): Sampling {
  const { ranked, seed = null } = input;
  if (seed !== null) {
    if (!ctx.rules.identity.isPrivate) {
      throw new DomainError('not_allowed', 'Only private hubs accept `seed`.', {
        hint: 'Leave it out. To ask the items of an earlier run again, send `replay_of`.',
      });
    }
    if (ranked) {
      throw new DomainError('invalid_body', 'A ranked run cannot have a `seed`: its items would be known.', {
        hint: 'Leave out `seed` or `ranked`.',
      });
    }
  }
  return { seed: replayed?.suiteSeed ?? seed, replayOf: replayed?.id ?? null };
}
