/** The product `suite-run`: the cases of a published suite. */
import type { AgentCtx } from '../../context.ts';
import { DomainError } from '../../errors.ts';
import { eq } from 'drizzle-orm';
import type { ChosenPlaces, RunRow } from '#db/schema/run-tables.ts';
import type { SuiteCase, SuiteDocument } from '#evals/own-suite/document.ts';
import { judgesOfCase } from '#evals/own-suite/judges.ts';
import type { CaseIdentity } from '#evals/own-suite/identity.ts';
import { mayReadCasesOf } from '../../suites/find-suite.ts';
import { readResult } from '../cases/read-results.ts';
import { findRunnableSuite, readSuiteVersion, type RunnableSuite } from '../../suites/find-runnable-suite.ts';
import { findBaseline } from '../find-run.ts';
import { freeSuiteRepliesMax, suiteRunPrice } from '../../suites/suite-rules.ts';
import { protocolOf } from '../../targets/protocols.ts';
import { type OrderInput, type Product, type ProductOrder, runNotice } from '../product.ts';
import type { RedemptionInput } from '../redemption-input.ts';
import type { CasesOfProduct } from '../run-plan.ts';
import { pullRunMsOf } from '../run-limits.ts';
import { chooseCases, type EarlierResult } from './suite-run/choose-cases.ts';
import { askedOfSuite, chosenCases, judgingOfSuite, planSuite, presentCase } from './suite-run/plan-suite.ts';

const cases: CasesOfProduct = {
  version: null,
  plan: planSuite,
  goneMessage: 'The hub no longer has the suite of the run.',
  asked: askedOfSuite,
  unseenIn: ({ only, regradedFrom }) => [
    ...(regradedFrom === null ? [] : [`The replies are those of run ${regradedFrom}, graded again.`]),
    ...(only === null ? [] : [askedOf(only, regradedFrom !== null)]),
  ],
  identities: findIdentities,
  judging: judgingOfSuite,
  mayRead: async (ctx, { suiteId }) => suiteId !== null && (await mayReadCasesOf(ctx, suiteId, ctx.agent)),
};

/** The time for a reply, unless the suite or the order says otherwise. */
const replySecondsDefault = 60;

export const suiteRun: Product = {
  name: 'suite-run',
  price: {
    freeRunField: 'freeSuiteRunRedemptionId',
    setting: 'SUITE_RUN_REPLIES_PER_TOKEN',
    whyNotFree: ({ runSize }) =>
      runSize > freeSuiteRepliesMax
        ? `a run of ${runSize} replies never is (the limit is ${freeSuiteRepliesMax})`
        : null,
  },
  orders: {
    fields: ['suite', 'version', 'trials', 'only', 'limit', 'baseline', 'share_replies'],
    read: async (ctx, input) => {
      if (input.replayed !== null || input.seed != null) throw notSampled();
      if (input.suite === undefined) throw suiteMissing();
      const found = await findRunnableSuite(ctx, input.suite, input.version ?? null);
      return orderOf(ctx, input, found);
    },
    regrade: orderAgain,
  },
  cases,
  describe: {
    title: 'Suite run',
    notice: runNotice,
  },
};

async function findIdentities(
  { db }: Pick<AgentCtx, 'db'>,
  { suiteVersionId }: RunRow,
): Promise<readonly CaseIdentity[]> {
  if (suiteVersionId === null) return [];
  const { suiteVersions } = db.tables;
  const [version] = await db.query
    .select({ identities: suiteVersions.caseIdentities })
    .from(suiteVersions)
    .where(eq(suiteVersions.id, suiteVersionId));
  return version?.identities ?? [];
}

async function orderOf(ctx: AgentCtx, input: OrderInput, found: RunnableSuite): Promise<ProductOrder> {
  const { suite, version, document, ref, mayReadCases } = found;
  const { only: wanted = null, limit = null, checked } = input;
  const choice = { only: wanted, limit, mayReadCases };
  const only = await chooseCases(document, choice, () => readEarlier(ctx, input, ref));
  const asked = chosenCases(document, only);
  const isJudged = asked.some(hasJudges);
  if (isJudged && !mayReadCases) throw judgesHidden();
  if (input.ranked) refuseRanked(found, only, isJudged);
  const trials = input.trials ?? version.trials;
  const { target } = checked;
  if (target !== null && protocolOf(target.protocol).offersTools !== true) {
    const isTooMuch = asked
      .map((one) => presentCase(document, one))
      .some(({ earlier = [], world }) => world.tools.length > 0 || earlier.length > 0);
    if (isTooMuch) throw unspokenProtocol(target.protocol);
  }
  const timeoutS = target?.timeout_s ?? document.defaults?.timeout_s ?? replySecondsDefault;
  const runSize = asked.length * trials;
  return {
    target: target === null ? null : { ...target, timeout_s: timeoutS },
    runSize,
    // Pushed or fetched, free or not.
    limitSeconds: pullRunMsOf({ runSize, limitSeconds: null }) / 1_000,
    suite: {
      name: ref,
      version: String(version.version),
      ids: { suiteId: suite.id, suiteVersionId: version.id },
    },
    trials,
    only,
    shareReplies: input.share_replies ?? false,
    cost: suiteRunPrice(ctx, runSize),
  };
}

const othersNamedMax = 20;

function askedOf({ of, places, others = [] }: ChosenPlaces, isRegraded: boolean): string {
  if (!isRegraded) return `The run asks ${places.length} of the ${of} cases of its version.`;
  const left = of - places.length;
  const named = others.length < left ? [...others, `${left - others.length} more`] : others;
  return `They cover ${places.length} of the ${of} cases of this version; the earlier run did not ask the others as they are now: ${named.join(', ')}.`;
}

/** Grades the replies to the cases that both versions ask in the same way. */
async function orderAgain(ctx: AgentCtx, run: RunRow, wanted: number | null) {
  const { suite, version, document, ref, mayReadCases } = await findRunnableSuite(ctx, run.suiteName, wanted);
  const earlier = run.suiteVersionId === null ? null : await readSuiteVersion(ctx, run.suiteVersionId);
  const before = earlier === null ? [] : chosenCases(earlier.document, run.only);
  const sent = new Map(earlier === null ? [] : before.map((one) => [one.id, sentIn(earlier.document, one)]));
  const isSame = document.cases.map((one) => sent.get(one.id) === sentIn(document, one));
  const places = isSame.flatMap((same, place) => (same ? [place] : []));
  if (places.length === 0) throw nothingToGrade(run.id, version.version);
  const again = document.cases.filter((_, place) => isSame[place] === true);
  if (again.some(hasJudges) && !mayReadCases) throw judgesHidden();
  const others = document.cases.flatMap(({ id }, place) => (isSame[place] === true ? [] : [id]));
  const only = {
    of: isSame.length,
    places,
    ...(mayReadCases ? { others: others.slice(0, othersNamedMax) } : {}),
  };
  return {
    product: run.product,
    // They name whose replies these are. Nothing is called.
    targetUrl: run.targetUrl,
    target: run.target,
    targetHeaders: null,
    runSize: places.length * run.trials,
    ranked: false,
    suite: {
      name: ref,
      version: String(version.version),
      ids: { suiteId: suite.id, suiteVersionId: version.id },
    },
    trials: run.trials,
    only: others.length === 0 ? null : only,
    shareReplies: run.shareReplies,
    regradedFrom: run.id,
    cost: 0,
  };
}

/** What an agent is sent of a case. */
function sentIn({ system, tools }: SuiteDocument, suiteCase: SuiteCase): string {
  const { prompt, messages, turns, max_steps: maxSteps } = suiteCase;
  return JSON.stringify([system, suiteCase.tools ?? tools, prompt, messages, turns, maxSteps]);
}

function nothingToGrade(runId: string, version: number): DomainError {
  return new DomainError(
    'invalid_body',
    `Version ${version} asks none of the cases that run ${runId} asked.`,
    {
      hint: 'Name a version that has the same cases, or redeem a new run.',
    },
  );
}

function hasJudges(suiteCase: SuiteCase): boolean {
  return judgesOfCase(suiteCase).size > 0;
}

function unspokenProtocol(protocol: string): DomainError {
  return new DomainError(
    'invalid_body',
    `Cases of this suite have tools or earlier messages, which \`${protocol}\` has no place for.`,
    { hint: 'Use another `target.protocol`, or send no target and fetch the cases.' },
  );
}

function judgesHidden(): DomainError {
  return new DomainError(
    'invalid_body',
    'The runner of this suite brings its judges, and its rubrics are hidden.',
    {
      hint: 'Its owner can run it, or make it `open`.',
    },
  );
}

function notSampled(): DomainError {
  return new DomainError('invalid_body', 'A `suite-run` takes no `replay_of` or `seed`.', {
    hint: 'It always asks the cases of its version. `trials` says how often.',
  });
}

function suiteMissing(): DomainError {
  return new DomainError('invalid_body', '`suite` is missing: a `suite-run` is of a published suite.', {
    hint: 'Send its name, such as `@ada/refund-desk`.',
  });
}

/** The run of `baseline`, or the newest completed one. */
async function readEarlier(
  ctx: AgentCtx,
  { baseline = 'latest' }: RedemptionInput,
  suiteName: string,
): Promise<EarlierResult | null> {
  const run = await findBaseline(ctx, { product: 'suite-run', suiteName }, baseline);
  if (run === null) return null;
  return { run, marks: (await readResult(ctx, run.id))?.marks ?? {} };
}

/** Only whole runs of suites that anybody may run are comparable. */
function refuseRanked({ suite }: RunnableSuite, only: ChosenPlaces | null, isJudged: boolean): void {
  if (isJudged) {
    throw new DomainError('invalid_body', 'A run with judges that its runner brings cannot be `ranked`.', {
      hint: 'Leave out `ranked`. A suite whose owner judges by a `webhook` can be ranked.',
    });
  }
  const isPrivate = suite.visibility === 'private';
  if (!isPrivate && only === null) return;
  const which = isPrivate ? 'a private suite' : 'some cases only';
  throw new DomainError('invalid_body', `A run of ${which} cannot be \`ranked\`.`, {
    hint: isPrivate
      ? 'Its owner can make it `hidden` or `open`.'
      : 'Leave out `only` and `limit`, or `ranked`.',
  });
}
