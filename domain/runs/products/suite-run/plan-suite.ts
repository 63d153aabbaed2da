/** The plan of a run of a suite: each of its cases as often as it has trials, one trial of all cases after the other. */
import type { ChosenPlaces, RunRow } from '#db/schema/run-tables.ts';
import type { Reply, SuiteCase, SuiteDocument } from '#evals/own-suite/document.ts';
import { asksWithImages } from '#evals/own-suite/images.ts';
import { judgesOf } from '#evals/own-suite/check-document.ts';
import { saidIn } from '#evals/own-suite/messages.ts';
import { metricOf } from '#evals/own-suite/metrics.ts';
import type { StoredTrial } from '#evals/own-suite/stored-trial.ts';
import { scriptedWorld } from '#evals/worlds/scripted.ts';
import {
  begin,
  converse,
  replay,
  type Scene,
  type Step,
  stepsByTurn,
  type World,
} from '#evals/worlds/world.ts';
import { keepNewest } from '#runtime/keep-newest.ts';
import { findAgentById } from '../../../agents/find-agent.ts';
import type { Ctx } from '../../../context.ts';
import { mayReadCasesOf } from '../../../suites/find-suite.ts';
import { withImages } from '../../../suites/suite-images.ts';
import { readSuiteVersion } from '../../../suites/find-runnable-suite.ts';
import {
  failedIfUngraded,
  gradedTrial,
  roundsOf,
  storedCalls,
  trialInError,
  withoutExplanations,
} from '../../cases/trials.ts';
import { plainMessageOf } from '../../../targets/tool-calls.ts';
import type { Graders, GradingTask } from '../../grading/grade-reply.ts';
import type { AskedCases, AskedItem, JudgedSuite, PlannedItems, RunPlan } from '../../run-plan.ts';
import { findingsOfSuite, findingTrialsMax } from './suite-findings.ts';

/** The first items show whether the target works at all. */
const firstStageMax = 10;
/** One for all, because a run keeps thousands of trials. */
const noGraders: StoredTrial['graders'] = [];
const passedGrader = { name: '', passed: true, expected: '', found: '' };
const failedGrader = { ...passedGrader, passed: false };
const openGrader = { ...passedGrader, passed: null };
/** Of a case whose tools return something. */
const stepsDefault = 10;

export async function planSuite(ctx: Pick<Ctx, 'db' | 'rules'>, run: RunRow): Promise<RunPlan | null> {
  const { runSize, suiteId, trials } = run;
  const found = await findCases(ctx, run);
  if (found === null) return null;
  const { document, cases, places, hasMetrics, hasImages } = found;
  const rounds = roundsOf({ cases: cases.length, trials }, (id) => places.get(id) ?? null);
  const planned: PlannedItems = {
    length: runSize,
    at: (index) => {
      const { place, trial } = rounds.placeAt(index);
      const suiteCase = index < runSize ? cases[place] : undefined;
      return suiteCase && { index, suiteCase, trial };
    },
  };
  return {
    total: runSize,
    firstStage: Math.min(firstStageMax, runSize),
    isAdaptive: false,
    longestPromptBytes: () =>
      Math.max(...cases.map((suiteCase) => promptBytes(presentCase(document, suiteCase), suiteCase))),
    planned: () => planned,
    idOf: rounds.idOf,
    indexOf: rounds.indexOf,
    present: ({ suiteCase }) => presentCase(document, suiteCase),
    ...(suiteId !== null && hasImages
      ? { withImages: (messages) => withImages(ctx, suiteId, messages) }
      : {}),
    grade: async (asked, graders) => {
      const { claimant, item, steps, call } = asked;
      const { suiteCase } = item;
      const turns = repliesIn(presentCase(document, suiteCase).world, steps);
      const { id, expect, pass_at: passAt, turns: asks } = suiteCase;
      const own: GradingTask = {
        // Without what it asks, which may have megabytes.
        suiteCase: {
          id,
          expect,
          ...(passAt === undefined ? {} : { pass_at: passAt }),
          ...(asks === undefined ? {} : { turns: asks }),
        },
        reply: {
          ...(turns.at(-1) ?? silence),
          tool_calls: turns.flatMap(({ tool_calls: calls }) => calls),
          // As it is stored, so that grading it once more finds the same.
          latencyMs: Math.round(call.latencyMs),
          costUsd: call.usage?.cost_usd ?? null,
          ...(asks === undefined ? {} : { turns }),
        },
      };
      const { turns: held = [], isUnfinished = false } = own.reply;
      const isOver = !isUnfinished && held.length === (asks ?? []).length;
      const judgements = isOver ? await askJudges(ctx, graders, { run, document, asked, own }) : {};
      // A judge has read this reply and no other.
      const isJudged = Object.keys(judgements).length > 0;
      const task = { ...own, judgements, ...(isJudged ? {} : { findsChanges: true as const }) };
      const { grade, undone } = await graders.grade(claimant, task);
      // Such a reply counts against the agent: a refund of the run, or a trial without a verdict, would hide it.
      const exhausted = 'ungraded' in grade ? grade.exhausted : undefined;
      const stored =
        exhausted === undefined
          ? gradedTrial(asked, own.reply, grade)
          : { ...gradedTrial(asked, own.reply, failedIfUngraded(grade)), exhausted };
      return undone.length === 0 ? stored : { ...stored, undone };
    },
    inError: trialInError,
    scored: ({ tool_calls: _calls, earlier: _earlier, graders, judged, ...trial }) => ({
      ...trial,
      ...(judged === undefined ? {} : { judged: judged.map(withoutExplanations) }),
      graders: hasMetrics
        ? graders.map(({ passed }) => (passed === null ? openGrader : passed ? passedGrader : failedGrader))
        : noGraders,
      response_text: trial.index < findingTrialsMax ? trial.response_text : null,
    }),
    casesOf: () => cases,
    leftOut: document.left_out,
    findings: async (trials) => {
      const findings = findingsOfSuite(judgedSuiteOf(found), trials, await mayReadCases(ctx, run));
      // No finding says little of an agent whose suite is about something else.
      return findings.length === 0 ? null : findings;
    },
    mayReadCases: () => mayReadCases(ctx, run),
  };
}

const silence: Reply = { text: '', tool_calls: [], latencyMs: null };

/** To each message of the user: the last text, and all calls. */
function repliesIn(world: World<unknown>, steps: readonly Step[]): readonly Reply[] {
  const turns = stepsByTurn(world, steps);
  const { messages } = replay(world, steps);
  // Nobody has read what the last calls returned.
  const isCut = messages.length > 0 && messages.every(({ role }) => role === 'tool');
  return turns.map((own, place) => {
    const last = own.at(-1);
    const calls = own.flatMap((step) => step.calls);
    // A text beside calls is not the last one.
    const text = isCut && place === turns.length - 1 ? '' : (last?.text ?? '');
    const isUnfinished = text.trim() === '' && calls.length > 0 && (last?.calls.length === 0 || isCut);
    return {
      text,
      tool_calls: calls.map(({ name, arguments: given }) => ({ name, arguments: given })),
      ...(isUnfinished ? { isUnfinished } : {}),
      latencyMs: null,
    };
  });
}

async function mayReadCases(ctx: Pick<Ctx, 'db' | 'rules'>, { agentId, suiteId }: RunRow): Promise<boolean> {
  const agent = suiteId === null ? null : await findAgentById(ctx.db, agentId);
  return suiteId !== null && agent !== null && mayReadCasesOf(ctx, suiteId, agent);
}

/** The cases of a run: one trial of all, then the next. */
export async function askedOfSuite(ctx: Pick<Ctx, 'db'>, run: RunRow): Promise<AskedCases | null> {
  const found = await findCases(ctx, run);
  if (found === null) return null;
  const { document, cases, places } = found;
  const { indexesOf } = roundsOf({ cases: cases.length, trials: run.trials }, (id) => places.get(id) ?? null);
  return { cases, indexesOf, shared: document };
}

export async function judgingOfSuite(ctx: Pick<Ctx, 'db'>, run: RunRow): Promise<JudgedSuite | null> {
  const found = await findCases(ctx, run);
  return found === null ? null : judgedSuiteOf(found);
}

function judgedSuiteOf({ document, cases, places }: ChosenCases): JudgedSuite {
  return {
    judges: document.judges ?? {},
    caseOf: (id) => cases[places.get(id) ?? -1],
    present: (suiteCase) => presentCase(document, suiteCase),
  };
}

/** Versions never change, so the documents and choices that were used last are kept. A document may have 5 MB. */
const keptMax = 4;
const documents = new Map<string, SuiteDocument>();
const kept = new Map<string, ChosenCases>();

/** The document of a run and the cases that it asks; null if the hub no longer has it. */
async function findCases(
  ctx: Pick<Ctx, 'db'>,
  { suiteVersionId, only, runSize, trials }: RunRow,
): Promise<ChosenCases | null> {
  if (suiteVersionId === null) return null;
  const key = JSON.stringify([suiteVersionId, only]);
  const found = kept.get(key) ?? (await readCases(ctx, suiteVersionId, only));
  if (found === null) return null;
  keepNewest(documents, suiteVersionId, found.document, keptMax);
  keepNewest(kept, key, found, keptMax);
  return found.cases.length * trials === runSize ? found : null;
}

interface Judging {
  readonly run: RunRow;
  readonly document: SuiteDocument;
  readonly asked: AskedItem;
  readonly own: GradingTask;
}

/** The judges see the whole reply, without the secret headers of its target. */
async function askJudges(
  ctx: Pick<Ctx, 'db'>,
  graders: Graders,
  { run, document, asked, own }: Judging,
): Promise<NonNullable<GradingTask['judgements']>> {
  const { item, redact = (text) => text } = asked;
  const webhooks = [...judgesOf({ cases: [item.suiteCase] }).keys()];
  const scene = presentCase(document, item.suiteCase);
  const judged = {
    suite: run.suiteName,
    version: run.suiteVersion,
    case_id: item.suiteCase.id,
    trial: item.trial,
    system: scene.system,
    messages: (item.suiteCase.turns === undefined
      ? begin(scene).messages
      : converse(scene, asked.steps).messages.slice(0, -1)
    ).map(plainMessageOf),
    reply: { text: redact(own.reply.text), tool_calls: storedCalls(redact, own.reply.tool_calls, Infinity) },
  };
  const id = `${run.id}-${item.index}`;
  const asking = webhooks.map(async (webhookId) => {
    return [webhookId, await graders.judge(ctx, { webhookId, id, judged })] as const;
  });
  return Object.fromEntries(await Promise.all(asking));
}

export function chosenCases(
  { cases }: Pick<SuiteDocument, 'cases'>,
  only: ChosenPlaces | null,
): readonly SuiteCase[] {
  return only === null ? cases : only.places.flatMap((place) => cases[place] ?? []);
}

/** The cases of a run, which many of its requests share. */
interface ChosenCases {
  readonly document: SuiteDocument;
  readonly cases: readonly SuiteCase[];
  /** Of each case, by its id. */
  readonly places: ReadonlyMap<string, number>;
  readonly hasMetrics: boolean;
  readonly hasImages: boolean;
}

async function readCases(
  ctx: Pick<Ctx, 'db'>,
  suiteVersionId: string,
  only: ChosenPlaces | null,
): Promise<ChosenCases | null> {
  const document =
    documents.get(suiteVersionId) ?? (await readSuiteVersion(ctx, suiteVersionId))?.document ?? null;
  if (document === null) return null;
  const cases = chosenCases(document, only);
  return {
    document,
    cases,
    places: new Map(cases.map(({ id }, place) => [id, place])),
    hasMetrics: cases.some(({ expect }) => expect.some((spec) => metricOf(spec) !== null)),
    hasImages: cases.some(asksWithImages),
  };
}

/** Messages of the role `system` are joined with the suite's own, because not all protocols have them in between. */
export function presentCase(document: SuiteDocument, suiteCase: SuiteCase): Scene {
  const {
    prompt,
    messages = [],
    turns,
    tools = document.tools ?? [],
    max_steps: maxSteps = stepsDefault,
  } = suiteCase;
  const timeoutSeconds = document.defaults?.timeout_s;
  const own = messages.flatMap(({ role, content }) => (role === 'system' ? [content] : []));
  const system = [...(document.system === undefined ? [] : [document.system]), ...own].join('\n\n');
  const said = saidIn(messages);
  const last = said.at(-1);
  return {
    system: system === '' ? null : system,
    earlier: said.slice(0, -1),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    world: scriptedWorld({
      // The last message is the user's.
      turns: turns ?? [prompt ?? last?.content ?? ''],
      images: last?.role === 'user' ? last.images : undefined,
      tools: tools.map(({ description = '', parameters = { type: 'object' }, ...tool }) => ({
        ...tool,
        description,
        parameters,
      })),
      maxSteps,
    }),
  };
}

function promptBytes(scene: Scene, { turns = [] }: SuiteCase): number {
  const { tools } = scene.world;
  const said = begin(scene)
    .messages.map(({ content }) => content)
    .concat(turns.slice(1))
    .join('');
  return Buffer.byteLength(`${scene.system ?? ''}${said}${tools.length === 0 ? '' : JSON.stringify(tools)}`);
}
