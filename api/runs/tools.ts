/** The tools and resources of runs. */
import type { Static } from 'typebox';
import type { ProductName } from '#domain/runs/products.ts';
import { practiceCaseOf } from '#domain/runs/grading/practise.ts';
import type { Completion } from '../mcp/resources.ts';
import type { Run } from './model.ts';
import type { AnswersAccepted, PulledCases } from './pulled-cases.ts';
import type { RunComparison } from '../suites/run-model.ts';
import { shownImages, withoutEmptyFields, type ToolDeclaration } from '../mcp/tool.ts';
import { knownTexts, shareTexts, sharedField, type SharedTexts } from '../mcp/share-texts.ts';
import type { EvalRunDetail } from './eval-runs.ts';
import type { EvalSuite } from './practice.ts';

/** Completes the id of a run from your own, perhaps of one product. */
const completedBy = (product?: ProductName): Completion => ({
  operation: 'getRuns',
  asked: () => (product === undefined ? {} : { product }),
  options: (body) => {
    // The body of the endpoint above.
    const { runs } = body as { readonly runs: readonly Static<typeof Run>[] };
    return runs.map(({ id, label }) => ({ value: id, words: label ?? '' }));
  },
});

/** What the body of a redemption has for each product. */
type Redeemed = { readonly run: Static<typeof Run>; readonly balance: number };

export const evaluationTools: readonly ToolDeclaration[] = [
  {
    name: 'start_run',
    title: 'Start a run',
    annotations: { openWorldHint: true },
    description:
      'Start an eval-run (default), suite-run or agent-run, then get_cases. With target, the hub sends the cases there. Your first of each is free.',
    operations: { redeem: [] },
    without: ['target_url', 'seed', 'version', 'only', 'limit', 'baseline', 'share_replies', 'label'],
    optional: ['product'],
    keyed: ['redeem'],
    about: {
      suite: 'For suite-run: `@owner/name`.',
      target: 'As for probe_target.',
      size: 'long costs twice as much, and is never free.',
      tasks: 'Of an agent-run. 24 cost twice as much.',
      max_prompt_tokens: 'Of the longest prompt.',
      ranked: 'For the leaderboard. Never free.',
      trials: 'How often each case is asked.',
      replay_of: 'A run to repeat as it was, without size, tasks or max_prompt_tokens.',
    },
    output: ['run.id', 'balance'],
    run: async ({ product }, call) => {
      // A run that has just started has no results yet. Its other names, and the redemption, say nothing more.
      const { run, balance } = (await call({ product: product ?? 'eval-run' })) as Redeemed;
      return withoutEmptyFields({ run, balance });
    },
  },
];

/** The size of a result that models get in full. Hosts cut longer ones. */
const toolTokensMax = 20_000;

/** Models see images beside the text, where their names stand for them. */
function withImagesBeside(pulled: Static<typeof PulledCases>['cases']) {
  const images: string[] = [];
  const cases = pulled.map(({ messages, ...one }) => ({
    ...one,
    messages: messages.map((message) =>
      message.images === undefined
        ? message
        : { ...message, images: message.images.map((url) => `image ${images.push(url)} of this result`) },
    ),
  }));
  return { cases, images };
}

/** Models get each prompt once. The index is a part of the `case_id`. */
function withPromptOnce(
  { cases: given, ...rest }: Static<typeof PulledCases>,
  known: readonly string[] = [],
) {
  const { cases: pulled, images } = withImagesBeside(given);
  const { items: cases, shared } = shareTexts(
    pulled.map(({ messages, again, index: _index, step, prompt, ...one }) => ({
      ...one,
      prompt,
      ...(step === 0 ? {} : { step }),
      ...(again ? { again } : {}),
      ...(messages.length > 1
        ? { messages: messages.at(-1)?.role === 'user' ? messages.slice(0, -1) : messages }
        : {}),
      ...(messages.at(-1)?.images === undefined ? {} : { images: messages.at(-1)?.images }),
    })),
    ['system', 'tools'],
    known,
  );
  const note = rest.ended ? 'The run has ended: get_report.' : adviceOn(shared);
  return {
    ...sharedField(shared),
    cases,
    ...rest,
    ...(note === '' ? {} : { note }),
    ...(images.length === 0 ? {} : { [shownImages]: images }),
  };
}

/** What a model does with texts that it gets for the first time. */
function adviceOn(shared: SharedTexts): string {
  const ids = Object.keys(shared);
  const hasTools = Object.values(shared).some((text) => 'tools' in text);
  return [
    ...(hasTools ? ['To call a tool, answer with `tool_calls: [{name, arguments}]` beside `text`.'] : []),
    ...(ids.length === 0 ? [] : [`Add ${JSON.stringify(ids)} to \`known\` from now on.`]),
  ].join(' ');
}

/** What is left to answer. */
function withOpenCases({ cases, ...rest }: Static<typeof AnswersAccepted>) {
  const open = cases.flatMap(({ done, expires_at: _until, ...one }) => (done ? [] : [one]));
  if (rest.ended)
    return { ...rest, ...(open.length === 0 ? {} : { cases: open }), note: 'The run has ended: get_report.' };
  if (open.length === 0) return rest;
  return { ...rest, cases: open, note: 'Answer the new `messages` of these cases, with their `step`.' };
}

export const evalCaseTools: readonly ToolDeclaration[] = [
  {
    name: 'get_cases',
    title: 'Fetch cases',
    annotations: { readOnlyHint: false, idempotentHint: true },
    description: 'Fetch cases of your run, and answer each `prompt`. Repeat with wait until ended is true.',
    operations: { getNextCases: [] },
    names: { id: 'run_id' },
    without: ['lease_s', 'max_tokens'],
    input: { known: knownTexts },
    output: ['cases.case_id', 'cases.prompt', 'ended'],
    about: { known: 'Ids of `shared` you have.', worker: 'If you fetch in parallel.', wait: 'Seconds.' },
    run: async ({ known }, call) =>
      // The body of the operation, and an argument that has been checked.
      withPromptOnce(
        (await call({ max_tokens: toolTokensMax })) as Static<typeof PulledCases>,
        known as readonly string[] | undefined,
      ),
  },
  {
    name: 'answer',
    title: 'Submit answers',
    description: 'Submit your answers to cases. They are final: follow prompts to the letter.',
    operations: { submitAnswers: [] },
    names: { id: 'run_id' },
    output: ['accepted', 'ended'],
    about: { answers: 'Each `{case_id, text}`.' },
    // The body of the operation.
    run: async (_given, call) => withOpenCases((await call()) as Static<typeof AnswersAccepted>),
  },
  {
    name: 'get_case',
    title: 'Get the prompt of a case',
    description: 'Get the full prompt of a case of a completed run.',
    operations: { getRunsByIdCasesByCaseIdPrompt: [] },
    names: { id: 'run_id' },
    about: { case_id: 'Such as length-4.' },
  },
];

export const evalRunTools: readonly ToolDeclaration[] = [
  {
    name: 'get_report',
    title: 'Get a report',
    description:
      'Get the state of a run; with detail, its report once completed: findings, score, cases; full: 20,000 tokens. Without run_id: list your runs.',
    // The operations of eval runs do the same for one product.
    operations: {
      reportRun: ['run_id', 'detail'],
      getRun: ['run_id'],
      getRuns: [],
      listEvalJobs: [],
      getEvalJob: [],
    },
    names: { id: 'run_id' },
    without: ['format', 'baseline', 'min_pass', 'min_score', 'fail_on', 'min_compared', 'include', 'product'],
    run: async (_given, call) => withoutEmptyFields(await call({ format: 'markdown' })),
  },
  {
    name: 'cancel_run',
    title: 'Cancel a run',
    annotations: { destructiveHint: true, idempotentHint: true },
    description:
      'End a run early. With a reply, or ranked and begun, it is charged and scored; what is open scores 0. Otherwise it is refunded.',
    operations: { cancelRun: [] },
    names: { id: 'run_id' },
  },
];

export const evalRunResources = [
  {
    name: 'scorecard',
    description: 'The scorecard of one of your completed eval runs.',
    uri: '/v1/eval-jobs/{run_id}',
    mimeType: 'text/markdown',
    operation: 'getEvalJob',
    names: { id: 'run_id' },
    completions: { run_id: completedBy('eval-run') },
    text: scorecardText,
  },
];

function scorecardText(body: unknown): string {
  // The body of the endpoint above.
  const { eval_job: job } = body as { readonly eval_job: Static<typeof EvalRunDetail> };
  return job.scorecard?.score_md ?? `This run is ${job.status}. It has no scorecard yet.`;
}

export const evalSuiteTools: readonly ToolDeclaration[] = [
  {
    name: 'practice',
    title: 'Practise a case',
    annotations: { readOnlyHint: true },
    description:
      'List the practice cases, get one (case_id), or grade your reply to it (text). Free, and nothing is stored.',
    operations: { practise: ['case_id', 'text'], getEvalSuite: [] },
    about: { messages: 'In a case with turns: your replies before text.' },
    run: async ({ case_id }, call) => practiceShown(await call(), case_id),
  },
];

/** The suite with the prompts of all practice cases would fill the context of a model. A verdict stays as it is. */
function practiceShown(body: unknown, caseId: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('practice' in body)) return body;
  // The body of the operation that shows the suite.
  const { practice, parts: all } = body as Static<typeof EvalSuite>;
  const one = practice.find(({ case_id }) => case_id === caseId);
  if (one !== undefined) {
    const { accepted: _, refused: _refused, expect: _expect, ...shown } = one;
    return { practice: shown, note: wayToGrade(shown.messages?.length ?? 1) };
  }
  // Refused as the grading of its reply would be.
  if (typeof caseId === 'string') practiceCaseOf(caseId);
  const ids = Map.groupBy(practice, ({ part }) => part);
  return {
    parts: all.map(({ name, about }) => ({
      name,
      about,
      case_ids: ids.get(name)?.map(({ case_id }) => case_id) ?? [],
    })),
  };
}

/** A case with turns is graded as a whole. */
function wayToGrade(turns: number): string {
  return turns === 1
    ? 'Answer it, then send your reply as `text`.'
    : `It has ${turns} turns. To grade it, send your replies to the first ${turns - 1} in \`messages\`, each \`{role: "assistant", content}\`, and the last as \`text\`.`;
}

export const runComparisonTools: readonly ToolDeclaration[] = [
  {
    name: 'compare_runs',
    title: 'Compare runs',
    description: 'Compare two completed runs of a product: what changed, and whether it may be chance.',
    operations: { compareRuns: [] },
    names: { id: 'run_id', other_id: 'other_run_id' },
    about: { run_id: 'The earlier run.', other_run_id: 'The later run.' },
    run: async (_given, call) => withNextStep(await call()),
  },
];

function withNextStep(body: unknown): object {
  // The body of the operation.
  const { comparison } = body as { readonly comparison: Static<typeof RunComparison> };
  const isSame = comparison.reach.sample === 'same cases';
  if (comparison.verdict !== 'no clear change' || isSame) return { comparison };
  const note =
    'The difference may be chance. A run with replay_of asks the same cases again and shows smaller changes.';
  return { comparison, note };
}

export const runResources = [
  {
    name: 'run',
    description: 'The result and the findings of one of your runs.',
    uri: '/v1/runs/{run_id}',
    mimeType: 'application/json',
    operation: 'getRun',
    names: { id: 'run_id' },
    completions: { run_id: completedBy() },
  },
];
