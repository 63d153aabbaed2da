/**
 * Carries out an agent run in push mode, from claim to end: the hub sends each task to the target and makes the calls
 * in its replies. It may be interrupted at any point: the calls of each reply are stored before the next request, and
 * the next worker continues from them.
 */
import type { RunRow } from '#db/schema/run-tables.ts';
import {
  type Conversation,
  messagesOf,
  nameCalls,
  toolDeclarations,
} from '#domain/agent-runs/push/conversation.ts';
import { ClaimLost, releaseRun, noteReply, type RunClaim } from '#domain/runs/hold-run.ts';
import {
  endPushedTask,
  giveUpPushedRun,
  makePushedCalls,
  notePushedDelay,
  notePushedReminder,
  openPushedTask,
  type PushedTask,
} from '#domain/agent-runs/push/work-on-task.ts';
import { withTransaction } from '#domain/context.ts';
import { delayedMsMax } from '#domain/runs/run-limits.ts';
import { faultOfAttempts, HeldReplies, type ReplyHand } from '#domain/runs/reply-in-hand.ts';
import { closeJobs } from '#domain/jobs/enqueue.ts';
import { decryptHeaders } from '#domain/runs/encrypt-headers.ts';
import { shortPrompt } from '#domain/targets/prepare-probe.ts';
import type { TargetFault, ToolTargetCall } from '#domain/targets/protocol.ts';
import type { ToolReply } from '#domain/targets/tool-calls.ts';
import { RunLater } from '#runtime/jobs/job-worker.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { type CallTurns, HostAgreed } from '#runtime/turns/target-turns.ts';
import { callToolTarget } from './call-target.ts';
import { PausableDeadline } from './pausable-deadline.ts';
import type { EvalRunnerDeps } from './run-cases.ts';
import { claimOrWait, handBackDelayMs, type RunJob } from './push-run.ts';
import { withGrace } from './with-grace.ts';

/** A shorter delay of a call is not worth a write. */
const notedDelayMs = 1_000;

export type AgentRunnerDeps = Omit<EvalRunnerDeps, 'graders' | 'recordCase'>;

/**
 * @throws RunLater when another worker holds the run, or when this process shuts down before the run ends
 */
export async function runAgentRun(deps: AgentRunnerDeps, job: RunJob): Promise<void> {
  const { ctx, logger } = deps;
  const run = await claimOrWait(ctx, job);
  if (run === null) return;
  crashPoint('run.claimed');
  const about = { agentRun: run.id, attempt: run.attempt };
  if ((await runClaimed(deps, run)) === 'lost') {
    logger.warn(about, 'claim on the agent run lost');
    return;
  }
  logger.info(about, 'agent run ended');
  await withTransaction(ctx, (inner) => closeJobs(inner, [job.jobId]));
}

async function runClaimed(deps: AgentRunnerDeps, run: RunRow): Promise<'ended' | 'lost'> {
  const { ctx, leases, ending } = deps;
  const claim = { runId: run.id, attempt: run.attempt };
  try {
    const fault = faultOfAttempts(run);
    if (fault !== null) {
      await giveUpPushedRun(ctx, claim, fault);
      return 'ended';
    }
    const end = await leases.whileHolding(claim, (lost) =>
      withGrace(ending, (over) => workOnRun(deps, run, claim, AbortSignal.any([lost, over]))),
    );
    if (end === 'ended') return end;
  } catch (error) {
    if (error instanceof ClaimLost) return 'lost';
    throw error;
  }
  await releaseRun(ctx, claim);
  throw new RunLater(handBackDelayMs);
}

/** @param stop aborts the call in flight */
async function workOnRun(
  deps: AgentRunnerDeps,
  run: RunRow,
  claim: RunClaim,
  stop: AbortSignal,
): Promise<'ended' | 'stopped'> {
  const headers = run.targetHeaders === null ? {} : decryptHeaders(deps.secretKey, run.targetHeaders);
  const target = { url: run.targetUrl ?? '', settings: run.target, headers };
  const replies = new HeldReplies(run.attempt, (isHeld) => noteReply(deps.ctx, claim, isHeld));
  while (!stop.aborted && !deps.ending.aborted) {
    const open = await openPushedTask(deps.ctx, claim);
    if (open === null) return 'ended';
    const hand = replies.hand();
    const work = { deps, claim, target, open: { ...open, delayedMs: 0 }, hand, stop };
    try {
      await workOnTask(work);
    } finally {
      await hand.letGo();
    }
  }
  return 'stopped';
}

interface TaskWork {
  readonly deps: AgentRunnerDeps;
  readonly claim: RunClaim;
  readonly target: {
    readonly url: string;
    readonly settings: RunRow['target'];
    readonly headers: Readonly<Record<string, string>>;
  };
  /** `delayedMs` is how long this worker's calls were delayed. */
  readonly open: PushedTask & { delayedMs: number };
  readonly hand: ReplyHand;
  readonly stop: AbortSignal;
}

/** Returns when the task has ended, or when the work must stop. */
async function workOnTask(work: TaskWork): Promise<void> {
  const { deps, claim, open } = work;
  const { task, row } = open;
  let talk: Conversation = { task, calls: open.calls, remindedAfter: row.remindedAfter };
  const isBeginning = task.n === 1 && talk.calls.length === 0 && talk.remindedAfter === null;
  if (isBeginning) {
    const fault = await introduceHub(work);
    if (fault !== null) return endPushedTask(deps.ctx, claim, task.n, fault);
  }
  while (!work.stop.aborted && !deps.ending.aborted) {
    await work.hand.letGo();
    const reply = await ask(work, talk);
    if (reply === null) return;
    if (!reply.ok) return endPushedTask(deps.ctx, claim, task.n, reply);
    if (reply.calls.length > 0) {
      const made = await makePushedCalls(deps.ctx, claim, task.n, nameCalls(talk, reply), reply.usage);
      if (made === null) return;
      talk = { ...talk, calls: [...talk.calls, ...made] };
    } else {
      if (talk.remindedAfter !== null) return endPushedTask(deps.ctx, claim, task.n, null, reply.usage);
      if ((await notePushedReminder(deps.ctx, claim, task.n, reply.usage)) === null) return;
      talk = { ...talk, remindedAfter: talk.calls.length };
    }
  }
}

/**
 * A host that has not agreed to the calls gets a short practice prompt first, so that it never begins with a long one.
 * @returns the fault in the response of the target
 */
async function introduceHub(work: TaskWork): Promise<TargetFault | null> {
  try {
    const reply = await call(work, {
      messages: shortPrompt().messages,
      tools: [],
      position: 'practice',
      turn: 'takeFirstSlot',
    });
    return reply === null || reply.ok ? null : reply;
  } catch (error) {
    if (error instanceof HostAgreed) return null;
    throw error;
  }
}

/** @returns null if the call was aborted because the task's time is up or the work must stop */
async function ask(work: TaskWork, talk: Conversation): Promise<ToolReply | TargetFault | null> {
  const reminded = talk.remindedAfter === null ? '' : '-reminded';
  crashPoint('target.calling');
  const reply = await call(work, {
    messages: messagesOf(talk),
    tools: toolDeclarations,
    position: `${work.open.task.n}-${talk.calls.length}${reminded}`,
    turn: 'takeSlot',
  });
  if (reply !== null) crashPoint('target.answered');
  return reply;
}

interface OneCall extends Pick<ToolTargetCall, 'messages' | 'tools'> {
  /** Names the call within the run. */
  readonly position: string;
  readonly turn: keyof CallTurns;
}

/** @returns null if the call was aborted because the task's time is up or the work must stop */
async function call(
  { deps, claim, target, open, hand, stop }: TaskWork,
  { messages, tools, position, turn }: OneCall,
): Promise<ToolReply | TargetFault | null> {
  const leftMs = open.endsAt.getTime() + open.delayedMs - deps.ctx.clock.now().getTime();
  if (leftMs <= 0) return null;
  const deadline = new PausableDeadline(leftMs, delayedMsMax);
  const turns = deps.turns(() => deadline.pause());
  const signal = AbortSignal.any([stop, deadline.signal]);
  const { url, settings, headers } = target;
  const timeoutS = settings?.timeout_s ?? null;
  try {
    return await callToolTarget(deps.http, turns[turn], {
      url,
      protocol: settings?.protocol ?? '',
      model: settings?.model ?? null,
      headers,
      timeoutMs: timeoutS === null ? null : timeoutS * 1_000,
      messages,
      tools,
      idempotencyKey: `${claim.runId}-${position}`,
      signal,
      hand,
    });
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  } finally {
    deadline.clear();
    const delayMs = deadline.pausedMs();
    if (delayMs >= notedDelayMs) {
      open.delayedMs += delayMs;
      await notePushedDelay(deps.ctx, claim, open.task.n, delayMs);
    }
  }
}
