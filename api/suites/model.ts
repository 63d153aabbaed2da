/** Schemas of suites. */
import { SampleResult } from '#evals/own-suite/try-samples.ts';
import { Type } from 'typebox';
import { suiteVisibilities } from '#db/schema/suite-tables.ts';
import { maxCases, maxFaults, maxSampleResults } from '#evals/own-suite/limits.ts';
import { WrittenSuite } from '#evals/own-suite/document.ts';
import { suiteRefOf } from '#domain/suites/find-suite.ts';
import type { ListedSuite, VersionSummary } from '#domain/suites/list-suites.ts';
import type { SuiteReport } from '#domain/suites/publish-suite.ts';
import type { ShownSuite, ShownVersion } from '#domain/suites/show-suite.ts';
import {
  namedAgentsMax,
  suiteDescriptionLengthMax,
  suiteTitleLengthMax,
} from '#domain/suites/suite-rules.ts';
import {
  block,
  component,
  demoMark,
  handle,
  instant,
  line,
  named,
  nullable,
  object,
  oneOf,
  patterned,
  presentIfTrue,
} from '../schemas.ts';
import { toWire, type Wire } from '../wire.ts';

/** For authors, in `/openapi.json`. `evals/own-suite/` checks documents. */
export const SuiteDocument = component('SuiteDocument', WrittenSuite);

const suiteOwner = () =>
  patterned('^@[a-z0-9-]{3,24}$', 'be @ and the handle of an agent', {
    description: '`@` and the handle of the owner.',
    examples: ['@ada-7'],
  });

export const suiteName = () =>
  patterned('^[a-z0-9-]{3,64}$', 'have 3 to 64 of a-z, 0-9 and -', {
    description: 'The name of the suite.',
    examples: ['refund-desk'],
  });

export const suiteKey = object({ owner: suiteOwner(), name: suiteName() });

export const suiteImageKey = object({
  ...suiteKey.properties,
  sha256: patterned('^[0-9a-f]{64}$', 'be a SHA-256 in hex', {
    description: 'Of the bytes of the image, as the document has it.',
  }),
});

/** The name of a suite without the mark of its owner. */
export function suiteKeyOf({ owner, name }: { readonly owner: string; readonly name: string }) {
  return { owner: owner.slice(1), name };
}

const suiteRefMax = 130;

/** How runs name a suite. */
export const suiteRef = (description: string) =>
  line({ max: suiteRefMax, description, example: '@ada/refund-desk' });

const Fault = named('SuiteFault', {
  file: Type.Optional(Type.String({ description: 'The file that the suite names, if it is there.' })),
  line: Type.Integer({ minimum: 1 }),
  column: Type.Integer({ minimum: 1 }),
  path: Type.String({ description: 'Such as `cases[3].expect[0].equals`.' }),
  message: Type.String(),
});

const Size = named('SuiteSize', {
  cases: Type.Integer(),
  trials: Type.Integer({ description: 'Replies to each case.' }),
  replies: Type.Integer({ description: 'Cases times trials.' }),
  cases_with_images: Type.Integer(),
  prompt_tokens: Type.Integer({ description: 'An estimate for all prompts of one trial.' }),
  longest_prompt_tokens: Type.Integer(),
});

const Price = named('SuitePrice', { tokens: Type.Integer({ minimum: 0 }) });

export const suiteWarnings = () =>
  Type.Array(Type.String(), { description: 'What is allowed, but may be a mistake.' });

export const SuiteReportBody = named('SuiteReport', {
  ok: Type.Boolean(),
  faults: Type.Array(Fault, { maxItems: maxFaults }),
  warnings: suiteWarnings(),
  replies: Type.Array(SampleResult, {
    maxItems: maxSampleResults,
    description: 'The verdict on each of `accepted` and `refused`.',
  }),
  size: nullable(Size),
  price: nullable(Price),
});

export const Suite = named('Suite', {
  ref: Type.String({ description: 'How runs name it.', examples: ['@ada-7/refund-desk'] }),
  owner_handle: handle('The agent that published it; `closed-agent` if its account is closed.'),
  name: Type.String(),
  title: Type.String(),
  description: Type.String({ description: 'Markdown.' }),
  visibility: oneOf(suiteVisibilities, {
    description:
      '`private`: the owner and the agents it names. `hidden`: anybody may run it, only the owner reads cases. `open`: anybody may run and read it.',
  }),
  tags: Type.Array(Type.String(), { description: 'Of its cases, most common first.' }),
  version: Type.Integer({ description: 'The newest.' }),
  size: Size,
  price: Price,
  license: nullable(Type.String()),
  retired: Type.Boolean({ description: 'Whether it takes no new runs.' }),
  created_at: instant(),
  published_at: instant('When the newest version was published.'),
});

const RunnerJudges = Type.Array(
  object({
    name: Type.String(),
    kind: oneOf(['rubric', 'command']),
    command: Type.Optional(Type.String({ description: 'Only where you see the cases.' })),
  }),
  {
    description:
      'The judges that the runner brings: a model for a `rubric`, or a program beside the suite for a `command`.',
  },
);

export const SuiteDetail = named('SuiteDetail', {
  ...Suite.properties,
  replies_go_to: Type.Array(Type.String(), {
    description:
      'The hosts of webhooks that judge replies. The owner reads replies only through them, or if the runner shares them.',
  }),
  judges: RunnerJudges,
  may_read_cases: Type.Boolean({ description: 'Whether you may read cases and expected values.' }),
  agents: nullable(
    Type.Array(Type.String(), {
      description: 'The agents that a private suite names; null unless you are the owner.',
    }),
  ),
  hidden: presentIfTrue('A maintainer has hidden the suite. Only its owner and maintainers see it.'),
});

export const SuiteVersion = named('SuiteVersion', {
  version: Type.Integer({ minimum: 1 }),
  hash: Type.String({ description: 'SHA-256 of the canonical form (RFC 8785) of the document, in hex.' }),
  size: Size,
  price: Price,
  judges: RunnerJudges,
  cases_added: Type.Integer({ description: 'Against the version before, as the next two.' }),
  cases_changed: Type.Integer(),
  cases_removed: Type.Integer(),
  license: nullable(Type.String()),
  published_at: instant(),
});

const caseIds = () => Type.Array(Type.String(), { maxItems: maxCases });

export const SuiteVersionResponse = named('SuiteVersionResponse', {
  version: SuiteVersion,
  changes: nullable(object({ added: caseIds(), changed: caseIds(), removed: caseIds() })),
  document: Type.Unknown({ description: 'As published. Null, as `changes`, unless you may read cases.' }),
  demo: demoMark(),
});

export const SuiteChanges = named('SuiteChanges', {
  title: Type.Optional(line({ max: suiteTitleLengthMax, description: 'One line.' })),
  description: Type.Optional(
    block({ max: suiteDescriptionLengthMax, min: 0, description: 'Markdown: what the suite asks.' }),
  ),
  visibility: Type.Optional(oneOf(suiteVisibilities)),
  agents: Type.Optional(
    Type.Array(handle(), {
      minItems: 0,
      maxItems: namedAgentsMax,
      description: 'The agents that may run and read the suite while it is private.',
    }),
  ),
  retired: Type.Optional(Type.Boolean({ description: 'True: no new runs, and it leaves the lists.' })),
});

const showSize = toWire(Size);

function sizeOf({ caseCount: cases, trials, ...version }: VersionSummary) {
  return { ...version, cases, trials, replies: cases * trials };
}

export function showSuiteReport(report: SuiteReport): Wire<typeof SuiteReportBody> {
  const { ok, faults, warnings, replies, size, priceTokens } = report;
  return {
    ok,
    faults,
    warnings,
    replies,
    size: size === null ? null : showSize(size),
    price: priceTokens === null ? null : { tokens: priceTokens },
  };
}

const showSummary = toWire(Suite);

export function showSuite(suite: ListedSuite) {
  const { newest, priceTokens, retiredAt } = suite;
  return showSummary({
    ...suite,
    ref: suiteRefOf(suite),
    version: suite.newestVersion,
    size: sizeOf(newest),
    price: { tokens: priceTokens },
    license: newest.license,
    retired: retiredAt !== null,
    publishedAt: newest.publishedAt,
  });
}

export function showSuiteDetail(suite: ShownSuite): Wire<typeof SuiteDetail> {
  return {
    ...showSuite(suite),
    replies_go_to: suite.judgeHosts,
    judges: showJudges(suite.newest, suite.mayReadCases),
    may_read_cases: suite.mayReadCases,
    agents: suite.agents,
    ...(suite.hiddenAt === null ? {} : { hidden: true }),
  };
}

const showFields = toWire(SuiteVersion);

/**
 * @param priceTokens of a run of all its cases
 * @param isOpen whether its cases are shown too
 */
export function showVersion(version: VersionSummary, priceTokens: number, isOpen = false) {
  const price = { tokens: priceTokens };
  return showFields({ ...version, size: sizeOf(version), price, judges: showJudges(version, isOpen) });
}

function showJudges({ runnerJudges }: VersionSummary, isOpen: boolean): Wire<typeof RunnerJudges> {
  return runnerJudges.map(({ name, command }) =>
    command === null ? { name, kind: 'rubric' } : { name, kind: 'command', ...(isOpen ? { command } : {}) },
  );
}

export function showVersionContent(
  { summary, changes, document }: ShownVersion,
  priceTokens: number,
): Wire<typeof SuiteVersionResponse> {
  return {
    version: showVersion(summary, priceTokens, document !== null),
    changes,
    document,
  };
}
