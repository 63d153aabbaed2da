/** What the judges of a run are to be asked: its owner brings them, and sends what they say. */
import { and, asc, eq } from 'drizzle-orm';
import { isUnjudged } from '#db/schema/index-conditions.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { Judge, Message, SuiteCase } from '#evals/own-suite/document.ts';
import {
  type JudgedCase,
  judgePrompt,
  judgePromptVersion,
  judgesOfCase,
  votesOf,
} from '#evals/own-suite/judges.ts';
import { describeImage } from '#evals/own-suite/images.ts';
import type { SaidMessage } from '#evals/own-suite/messages.ts';
import type { StoredTrial } from '#evals/own-suite/stored-trial.ts';
import { begin, type ConversationMessage, type Scene } from '#evals/worlds/world.ts';
import type { AgentCtx, Ctx } from '../../context.ts';
import { plainMessageOf } from '../../targets/tool-calls.ts';
import { findOwnRun, requireCompleted, requireItems, type RunKey } from '../find-run.ts';
import { productOf } from '../products.ts';
import type { JudgedSuite } from '../run-plan.ts';
import { asksJudgeOf } from '../cases/trials.ts';
import { countUnjudged } from './change-verdicts.ts';

export interface JudgementTask {
  readonly id: string;
  readonly caseId: string;
  readonly trial: number;
  readonly judge: string;
  /** How often to ask. */
  readonly votes: number;
  readonly ask:
    /** The messages for a model. */
    | { readonly kind: 'rubric'; readonly messages: readonly Message[] }
    /** A program beside the suite, and what it reads on stdin as JSON. */
    | { readonly kind: 'command'; readonly command: string; readonly input: object };
}

export interface NextJudgements {
  readonly tasks: readonly JudgementTask[];
  /** Replies that wait for judges, with those above. */
  readonly remaining: number;
  /** The version of the prompt. */
  readonly prompt: number;
}

export interface NextJudgementsInput extends RunKey {
  readonly limit: number;
}

/** Of all texts of a response. One task is always returned. */
const charactersMax = 1_000_000;

/**
 * The first open questions of a run of the acting agent. They change nothing, and each call has new fences. None if the
 * agent may not read what the suite expects.
 * @throws DomainError run_not_found, run_not_completed, gone
 */
export async function nextJudgements(
  ctx: AgentCtx,
  { runId, limit }: NextJudgementsInput,
): Promise<NextJudgements> {
  const run = requireItems(requireCompleted(await findOwnRun(ctx, { runId })));
  const suite = await findJudgedSuite(ctx, run);
  if (suite === null) return { tasks: [], remaining: 0, prompt: judgePromptVersion };
  const tasks: JudgementTask[] = [];
  let characters = 0;
  for (const trial of await listUnjudged(ctx, run.id, limit)) {
    for (const task of tasksOf(suite, run, trial)) {
      characters += JSON.stringify(task.ask).length;
      if (tasks.length > 0 && (tasks.length >= limit || characters > charactersMax)) break;
      tasks.push(task);
    }
  }
  return { tasks, remaining: await countUnjudged(ctx, run.id), prompt: judgePromptVersion };
}

/** Null if the suite is gone, or its expectations are hidden from the agent. */
export async function findJudgedSuite(ctx: AgentCtx, run: RunRow): Promise<JudgedSuite | null> {
  const { cases } = productOf(run);
  const suite = (await cases.judging?.(ctx, run)) ?? null;
  return suite !== null && (await cases.mayRead(ctx, run)) ? suite : null;
}

async function listUnjudged({ db }: Ctx, runId: string, limit: number): Promise<readonly StoredTrial[]> {
  const { runItems } = db.tables;
  const rows = await db.query
    .select({ result: runItems.result })
    .from(runItems)
    .where(and(eq(runItems.runId, runId), isUnjudged(runItems)))
    .orderBy(asc(runItems.itemIndex))
    .limit(limit);
  return rows.map(({ result }) => result);
}

function tasksOf(suite: JudgedSuite, run: RunRow, trial: StoredTrial): readonly JudgementTask[] {
  const suiteCase = suite.caseOf(trial.case_id);
  if (suiteCase === undefined) return [];
  const judged = judgedCaseOf(suite.present(suiteCase), suiteCase, trial);
  return [...judgesOfCase(suiteCase)].flatMap(([grader, name]) => {
    const judge = suite.judges[name];
    if (judge === undefined || !asksJudgeOf(trial, grader)) return [];
    const { case_id: caseId, index } = trial;
    const named = {
      id: `${index}.${grader}`,
      caseId,
      trial: trial.trial,
      judge: name,
      votes: votesOf(judge),
    };
    return [{ ...named, ask: askOf(judge, run, { trial, judged }) }];
  });
}

/** Images are only named. */
function judgedMessageOf(message: ConversationMessage): SaidMessage {
  const said = plainMessageOf(message);
  const images = message.role === 'user' ? (message.images ?? []) : [];
  const named = images.map((image) => `[${describeImage(image)}]`);
  return { ...said, content: [said.content, ...named].join('\n') };
}

function judgedCaseOf(
  scene: Scene,
  { turns = [] }: SuiteCase,
  { response_text: reply, tool_calls: calls = [], earlier = [] }: StoredTrial,
): JudgedCase {
  return {
    system: scene.system,
    messages: [
      ...begin(scene).messages.map(judgedMessageOf),
      ...earlier.flatMap(({ text }, at): SaidMessage[] => [
        { role: 'assistant', content: text },
        { role: 'user', content: turns[at + 1] ?? '' },
      ]),
    ],
    reply: reply ?? '',
    toolCalls: calls,
  };
}

function askOf(
  { rubric, command }: Judge,
  { suiteName, suiteVersion }: RunRow,
  { trial, judged }: { readonly trial: StoredTrial; readonly judged: JudgedCase },
): JudgementTask['ask'] {
  if (command === undefined) {
    const fence = crypto.randomUUID().replaceAll('-', '').slice(0, 16);
    return { kind: 'rubric', messages: judgePrompt(rubric ?? '', judged, fence) };
  }
  const { system, messages, reply, toolCalls } = judged;
  const input = {
    suite: suiteName,
    version: suiteVersion,
    case_id: trial.case_id,
    trial: trial.trial,
    system,
    messages,
    reply: { text: reply, tool_calls: toolCalls },
  };
  return { kind: 'command', command, input };
}
