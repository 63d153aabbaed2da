/** Decides which runs of an agent can be compared; the same rules apply to all products. */
import { DomainError, type ErrorCode } from '../errors.ts';
import { operation } from '../operation.ts';

/** The part of a run, of either product, that a comparison depends on. */
export interface ComparableRun {
  readonly id: string;
  readonly agentId: string;
  readonly product: string;
  readonly status: string;
  readonly suiteName: string;
  readonly suiteVersion: string;
  /** The private pack; only eval runs have one. */
  readonly suitePack?: { readonly name: string; readonly hash: string } | null;
  readonly finishedAt: Date | null;
}

export type Pair<Run> = readonly [before: Run, after: Run];

export interface ComparedSide<Run extends ComparableRun> {
  readonly run: Run;
  /** The added earlier runs, newest first. */
  readonly pooled: readonly Run[];
}

/** The name of a product's runs in errors. */
export interface ComparedProduct {
  readonly product: string;
  readonly name: string;
  readonly notFound: ErrorCode;
  readonly notCompleted: ErrorCode;
  readonly list: string;
}

export const evalRuns: ComparedProduct = {
  product: 'eval-run',
  name: 'eval job',
  notFound: 'eval_job_not_found',
  notCompleted: 'eval_job_not_completed',
  list: operation('listEvalJobs'),
};

export const agentRuns: ComparedProduct = {
  product: 'agent-run',
  name: 'agent run',
  notFound: 'agent_run_not_found',
  notCompleted: 'agent_run_not_completed',
  list: operation('getAgentRuns'),
};

/**
 * Picks the two runs among those of the agent.
 * @throws DomainError the product's codes, invalid_parameter for one run twice, product_mismatch, suite_version_mismatch,
 *   pack_mismatch
 */
export function requireComparable<Run extends ComparableRun>(
  product: ComparedProduct,
  ids: Pair<string>,
  own: readonly Run[],
): Pair<Run> {
  const runs = own.filter((run) => run.product === product.product);
  const other = own.find((run) => run.product !== product.product);
  if (runs.length > 0 && other !== undefined) {
    throw new DomainError(
      'product_mismatch',
      `Run ${other.id} is not an ${product.name}, unlike the other run.`,
      { hint: 'Compare two runs of the same product.' },
    );
  }
  const pair = [requireCompleted(product, runs, ids[0]), requireCompleted(product, runs, ids[1])] as const;
  if (ids[0] === ids[1]) {
    throw new DomainError('invalid_parameter', 'A run cannot be compared with itself.', {
      hint: `Name two different runs: ${product.list} lists yours.`,
    });
  }
  requireSameSuite(product, pair);
  return pair;
}

function requireCompleted<Run extends ComparableRun>(
  { name, notFound, notCompleted, list }: ComparedProduct,
  runs: readonly Run[],
  id: string,
): Run {
  const run = runs.find((candidate) => candidate.id === id);
  if (run === undefined) {
    throw new DomainError(notFound, `You have no ${name} with the id ${id}.`, {
      hint: `${list} lists your runs.`,
    });
  }
  if (run.status === 'completed') return run;
  throw new DomainError(notCompleted, `Run ${id} is ${run.status}. Only completed runs can be compared.`, {
    hint: `${list} shows the \`status\` of each run.`,
  });
}

/** Runs of different suites or packs ask different things, so their scores are not comparable. */
function requireSameSuite({ list }: ComparedProduct, [before, after]: Pair<ComparableRun>): void {
  if (before.suiteName !== after.suiteName || before.suiteVersion !== after.suiteVersion) {
    throw new DomainError(
      'suite_version_mismatch',
      `Run ${before.id} used ${nameSuite(before)}, run ${after.id} used ${nameSuite(after)}. Only runs of the same version can be compared.`,
      { hint: `${list} shows the \`suite\` of each run.` },
    );
  }
  if (!isSamePack(before, after)) {
    throw new DomainError(
      'pack_mismatch',
      `Run ${before.id} used ${namePack(before)}, run ${after.id} used ${namePack(after)}. Only runs of the same pack can be compared.`,
      { hint: `${list} shows the \`suite.pack\` of each run.` },
    );
  }
}

export function isSamePack(one: ComparableRun, other: ComparableRun): boolean {
  return one.suitePack?.hash === other.suitePack?.hash;
}

function nameSuite({ suiteName, suiteVersion }: ComparableRun): string {
  return `${suiteName} version ${suiteVersion}`;
}

function namePack({ suitePack }: ComparableRun): string {
  return suitePack === null || suitePack === undefined
    ? 'no pack'
    : `the pack ${suitePack.name} (${suitePack.hash})`;
}
