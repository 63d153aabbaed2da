/** Asks a target the remaining cases of a run, a few at a time, and stores each result. */
import type { FailureCause } from '#db/schema/run-tables.ts';
import type { StoredTrial } from '#evals/own-suite/stored-trial.ts';
import { addTokenUsage } from '#evals/token-usage.ts';
import { converse, goOn } from '#evals/worlds/world.ts';
import type { Ctx } from '#domain/context.ts';
import { OutcomeTally } from '#domain/runs/run-limits.ts';
import { storable } from '#evals/safe-text.ts';
import { hasReply, unreadCallCode } from '#evals/stored-item.ts';
import { type AskedItem, openItems, type PlannedTrial, type RunPlan } from '#domain/runs/run-plan.ts';
import type { Graders } from '#domain/runs/grading/grade-reply.ts';
import { DomainError } from '#domain/errors.ts';
import { type OpenItem, openRow, type Progress, type RecordedProgress } from '#domain/runs/store-items.ts';
import type { Batcher } from '#runtime/loop-turns.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { type Redact, redactorOf } from '#domain/targets/redact-secrets.ts';
import {
  isBodyLimit,
  type TargetCall,
  type TargetFault,
  type TargetFaultCode,
  type TargetMemory,
} from '#domain/targets/protocol.ts';
import { sizePrompt } from '#domain/targets/prepare-probe.ts';
import type { Claimant } from '#runtime/turns/turns.ts';
import type { CallTurns } from '#runtime/turns/target-turns.ts';
import { callTarget, callTo, introduceHub, type RunTarget, type TargetReply } from './call-target.ts';
import type { Chat } from './chats.ts';
import type { LeaseKeeper } from './lease-keeper.ts';

export interface EvalRunnerDeps {
  readonly ctx: Ctx;
  readonly logger: Logger;
  readonly chat: Chat;
  /** The turns of the run at its target. @param onDelay called when a call begins to wait; returns what ends the wait */
  readonly turns: (onDelay: () => () => void) => CallTurns;
  /** The agent whose run it is. */
  readonly claimant: Claimant;
  readonly graders: Graders;
  readonly recordCase: Batcher<RecordedProgress, boolean>;
  readonly leases: LeaseKeeper;
  /** Decrypts the headers of targets. */
  readonly secretKey: string;
  /** Fires when the process is shutting down: no new cases, and the job is released. */
  readonly ending: AbortSignal;
}

const unbegun: Pick<OpenItem, 'latencyMs' | 'attempts' | 'usage' | 'contextId'> = {
  latencyMs: 0,
  attempts: 0,
  usage: null,
  contextId: null,
};

/** Asked one at a time, to measure the latency of the target on its own. */
const soloCases = 3;

/** The pause after which a reply is offered to busy graders again. */
const busyPauseMs = 1_000;

export interface CaseRunInput extends Pick<
  EvalRunnerDeps,
  'chat' | 'claimant' | 'graders' | 'recordCase' | 'ending'
> {
  readonly turns: CallTurns;
  /** How long the calls of the run have been delayed so far. */
  readonly delayedMs: () => number;
  readonly runId: string;
  readonly attempt: number;
  readonly target: RunTarget;
  /** Whether the run counts even if its target fails. Otherwise a body that is too large ends it. */
  readonly isRanked: boolean;
  readonly plan: RunPlan;
  /** How often every case is asked. */
  readonly trials: number;
  /** Results of earlier attempts, as far as scoring needs them. */
  readonly recorded: readonly StoredTrial[];
  /** Conversations that earlier attempts began. */
  readonly open: readonly OpenItem[];
  /** Aborts all calls. */
  readonly stop: AbortSignal;
}

export type CaseRun =
  | { readonly end: 'all_done'; readonly results: readonly StoredTrial[] }
  | {
      readonly end: 'target_failed';
      /** The most frequent code of the cases in error. */
      readonly code: TargetFaultCode;
      readonly message: string;
      /** The cause of the last failure in this attempt. */
      readonly cause: FailureCause | null;
      readonly results: readonly StoredTrial[];
    }
  /** Another runner holds the claim. */
  | { readonly end: 'fenced' }
  | { readonly end: 'stopped'; readonly results: readonly StoredTrial[] };

/** @returns null when the signal fires first */
export async function gradeWhenFree(
  { plan, graders, claimant, stop }: Pick<CaseRunInput, 'plan' | 'graders' | 'claimant' | 'stop'>,
  asked: Omit<AskedItem, 'claimant'>,
): Promise<StoredTrial | null> {
  while (!stop.aborted) {
    try {
      return await plan.grade({ ...asked, claimant }, graders);
    } catch (error) {
      if (!(error instanceof DomainError && error.code === 'busy')) throw error;
      await Bun.sleep(busyPauseMs);
    }
  }
  return null;
}

export function runCases(input: CaseRunInput): Promise<CaseRun> {
  return new CaseLanes(input).run();
}

class CaseLanes {
  readonly #input: CaseRunInput;
  /** As far as scoring needs them. */
  readonly #results: StoredTrial[] = [];
  readonly #tally: OutcomeTally;
  readonly #redact: Redact;
  readonly #memory: TargetMemory = {};
  /** Conversations with stored steps, by item. */
  readonly #open: Map<number, OpenItem>;
  /** Calls to the target that are not stored yet, with retries. */
  #calls = 0;
  /** The next one is last. */
  #left: PlannedTrial[] = [];
  #fenced = false;
  #lastFault: TargetFault | null = null;
  /** The fault in the response to the introduction. */
  #refusal: TargetFault | null = null;
  /** The fault that ends the run because the target takes no long bodies. */
  #bodyLimit: TargetFault | null = null;

  constructor(input: CaseRunInput) {
    this.#input = input;
    this.#tally = new OutcomeTally(input.plan);
    for (const result of input.recorded) this.#keep(result);
    this.#open = new Map(input.open.map((item) => [item.index, item]));
    this.#redact = redactorOf(input.target.headers);
  }

  async run(): Promise<CaseRun> {
    const { plan, target, recorded } = this.#input;
    if (recorded.length === 0 && this.#open.size === 0 && !this.#isOver()) await this.#introduceHub();
    while (!this.#isOver()) {
      // A stage opens once the previous one is done.
      this.#left = openItems(plan, this.#results).toReversed();
      if (this.#left.length === 0) break;
      while (this.#results.length < soloCases && this.#left.length > 0 && !this.#isOver())
        await this.#runNext();
      await Promise.all(Array.from({ length: target.settings.concurrency }, () => this.#runLane()));
    }
    if (this.#fenced) return { end: 'fenced' };
    const results = this.#results;
    if (this.#isFailing()) return this.#failed();
    return { end: results.length === plan.total ? 'all_done' : 'stopped', results };
  }

  #isOver(): boolean {
    const { ending, stop } = this.#input;
    return this.#fenced || stop.aborted || ending.aborted || this.#isFailing();
  }

  #isFailing(): boolean {
    return this.#refusal !== null || this.#bodyLimit !== null || this.#tally.isGivenUp;
  }

  #keep(result: StoredTrial): void {
    this.#results.push(result);
    this.#tally.add(result);
  }

  async #runLane(): Promise<void> {
    while (this.#left.length > 0 && !this.#isOver()) await this.#runNext();
  }

  async #runNext(): Promise<void> {
    const planned = this.#left.pop();
    if (planned === undefined) return;
    const result = await this.#ask(planned);
    if (result === null) return;
    const stored = await this.#record({ result, isBegun: this.#open.has(planned.index) });
    crashPoint('case.stored');
    this.#open.delete(planned.index);
    if (stored) this.#keep(this.#input.plan.scored(result));
  }

  /** @returns whether it was stored; false when another runner holds the claim */
  async #record(progress: Progress): Promise<boolean> {
    const { runId, attempt, recordCase, delayedMs } = this.#input;
    const calls = this.#calls;
    this.#calls = 0;
    const stored = await recordCase.ask({ runId, attempt, progress, delayedMs: delayedMs(), calls });
    this.#fenced ||= !stored;
    return stored;
  }

  async #introduceHub(): Promise<void> {
    this.#lastFault = this.#refusal = await introduceHub(({ messages, position, turn }) =>
      this.#call({ messages }, position, turn),
    );
    if (this.#refusal === null && !this.#input.isRanked) await this.#trySize();
  }

  /** A limit of bodies ends the run before its first case. Any other fault shows again in the cases. */
  async #trySize(): Promise<void> {
    const messages = sizePrompt(this.#input.plan.longestPromptBytes());
    if (messages === null) return;
    const reply = await this.#call({ messages }, 'practice-size');
    if (reply !== null && !reply.ok && isBodyLimit(reply)) this.#bodyLimit = reply;
  }

  /** @returns null when the signal aborted the call */
  async #call(
    said: Pick<TargetCall, 'messages' | 'system' | 'tools' | 'contextId'>,
    position: string,
    turn: keyof CallTurns = 'takeSlot',
  ): Promise<TargetReply | null> {
    const { chat, turns, target, stop } = this.#input;
    const call = { ...callTo(target, position), ...said, memory: this.#memory, signal: stop };
    try {
      const reply = await chat(target, (http) => callTarget(http, turns[turn], call));
      this.#calls += reply.attempts;
      return reply;
    } catch (error) {
      if (stop.aborted) return null;
      throw error;
    }
  }

  /** @returns null when the signal aborted the call, or another runner holds the claim */
  async #ask(planned: PlannedTrial): Promise<StoredTrial | null> {
    const { plan } = this.#input;
    const scene = await plan.present(planned);
    const { system, world } = scene;
    const open = this.#open.get(planned.index);
    let talk = converse(scene, open?.steps ?? []);
    let { latencyMs, attempts, usage, contextId } = open ?? unbegun;
    for (;;) {
      crashPoint('target.calling');
      const messages = (await plan.withImages?.(talk.messages)) ?? talk.messages;
      const step = talk.steps.length;
      const position = `${planned.index}${step === 0 ? '' : `-${step + 1}`}`;
      const reply = await this.#call({ messages, system, tools: world.tools, contextId }, position);
      if (reply === null) return null;
      crashPoint('target.answered');
      attempts = Math.max(attempts, reply.attempts);
      if (!reply.ok) {
        this.#lastFault = reply;
        if (isBodyLimit(reply) && !this.#input.isRanked) this.#bodyLimit ??= reply;
        const { status, excerpt } = reply.cause;
        const unanswered = { attempts, usage, steps: talk.steps };
        const code = reply.hasUnreadCall === true ? unreadCallCode : reply.code;
        const inError = await plan.inError(planned, code, unanswered);
        return status === null ? inError : { ...inError, error_response: { status, excerpt } };
      }
      usage = addTokenUsage(talk.steps.length === 0 ? undefined : usage, reply.usage) ?? null;
      contextId = reply.contextId ?? contextId;
      latencyMs += reply.latencyMs;
      const { text, toolCalls: calls = [], cut } = reply;
      // What is stored and sent again has no secrets.
      talk = goOn(scene, talk, { text: storable(this.#redact(text)), calls });
      if (talk.done) {
        const steps = [...talk.steps.slice(0, -1), { text, calls }];
        const call = { latencyMs, attempts, usage, cut };
        return gradeWhenFree(this.#input, { item: planned, steps, call, redact: this.#redact });
      }
      const begun = { index: planned.index, steps: talk.steps, latencyMs, attempts, usage, contextId };
      this.#open.set(planned.index, begun);
      const stored = await this.#record({ open: openRow(this.#input.runId, begun) });
      crashPoint('step.stored');
      if (!stored) return null;
    }
  }

  #failed(): CaseRun {
    const results = this.#results;
    const { plan, trials } = this.#input;
    const total = `${plan.total} ${trials === 1 ? 'cases' : 'trials'}`;
    if (this.#bodyLimit !== null) {
      const { code, problem, cause } = this.#bodyLimit;
      const when = results.length === 0 ? 'before its first case' : `after ${results.length} of ${total}`;
      const message = `${problem} That ended the run ${when}.`;
      return { end: 'target_failed', code, message, cause, results };
    }
    const errorCounts = new Map<TargetFaultCode, number>();
    for (const { error_code: given } of results.filter((result) => !hasReply(result))) {
      if (given === null) continue;
      // Without a reply, only `inError` of a plan sets a code, with those of `callTarget`.
      const code = given === unreadCallCode ? 'target_bad_response' : (given as TargetFaultCode);
      errorCounts.set(code, (errorCounts.get(code) ?? 0) + 1);
    }
    if (this.#refusal !== null) errorCounts.set(this.#refusal.code, 1);
    const [most] = [...errorCounts].toSorted(([, a], [, b]) => b - a);
    const counts = [...errorCounts].map(([code, count]) => `${count} × ${code}`).join(', ');
    const what =
      results.length <= 1 ? 'The first call to the target failed' : 'Too many calls to the target failed';
    const problem = this.#lastFault === null ? '' : ` ${this.#lastFault.problem}`;
    return {
      end: 'target_failed',
      code: most?.[0] ?? 'target_bad_response',
      // Counts by code only: a failed run shows no prompts and no scores.
      message: `${what} (${counts}; ${results.length} of ${total} run).${problem}`,
      cause: this.#lastFault?.cause ?? null,
      results,
    };
  }
}
