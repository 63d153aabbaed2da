/**
 * Works on the remaining tasks of an agent run: sends each to the target and makes the calls in its replies. The calls of
 * each reply are stored before the next request, so the next worker continues from them.
 */
import {
  type Conversation,
  messagesOf,
  stepOf,
  toolDeclarations,
} from '#domain/runs/products/agent-run/conversation.ts';
import {
  endPushedTask,
  notePushedDelay,
  openPushedTask,
  type PushedTask,
  takePushedStep,
} from '#domain/runs/products/agent-run/push-tasks.ts';
import type { RunClaim } from '#domain/runs/hold-run.ts';
import type { HeldReplies, ReplyHand } from '#domain/runs/reply-in-hand.ts';
import { delayedMsMax } from '#domain/runs/run-limits.ts';
import type { RunOutcome } from '#domain/runs/run-outcome.ts';
import type { TargetFault, ToolTargetCall } from '#domain/targets/protocol.ts';
import type { ToolReply } from '#domain/targets/tool-calls.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import type { CallTurns } from '#runtime/turns/target-turns.ts';
import { callTo, callToolTarget, introduceHub, type RunTarget } from './call-target.ts';
import { PausableDeadline } from './pausable-deadline.ts';
import type { EvalRunnerDeps } from './run-cases.ts';

/** A shorter delay of a call is not worth a write. */
const notedDelayMs = 1_000;

export interface TaskRunInput extends Pick<EvalRunnerDeps, 'ctx' | 'chat' | 'turns' | 'ending'> {
  readonly claim: RunClaim;
  readonly target: RunTarget;
  readonly replies: HeldReplies;
  /** Aborts the call in flight. */
  readonly stop: AbortSignal;
}

/** @throws ClaimLost */
export async function runTasks(input: TaskRunInput): Promise<RunOutcome | 'stopped'> {
  const { ctx, claim } = input;
  let lastFault: TargetFault | null = null;
  while (!isOver(input)) {
    const open = await openPushedTask(ctx, claim, lastFault);
    if ('kind' in open) return open;
    const hand = input.replies.hand();
    try {
      lastFault = (await workOnTask({ ...input, open: { ...open, delayedMs: 0 }, hand })) ?? lastFault;
    } finally {
      await hand.letGo();
    }
  }
  return 'stopped';
}

function isOver({ stop, ending }: TaskRunInput): boolean {
  return stop.aborted || ending.aborted;
}

interface TaskWork extends TaskRunInput {
  /** `delayedMs` is how long this worker's calls were delayed. */
  readonly open: PushedTask & { delayedMs: number };
  readonly hand: ReplyHand;
}

/**
 * Returns when the task has ended, or when the work must stop.
 * @returns the fault of the target that ended the task
 */
async function workOnTask(work: TaskWork): Promise<TargetFault | null> {
  const { ctx, claim, open } = work;
  const { n, task, remindedAfter } = open.row;
  const end = async (fault: TargetFault) => {
    await endPushedTask(ctx, claim, n, fault);
    return fault;
  };
  let talk: Conversation = { task, calls: open.calls, remindedAfter };
  const isBeginning = n === 1 && talk.calls.length === 0 && talk.remindedAfter === null;
  if (isBeginning) {
    const fault = await introduceHub((said) => call(work, { ...said, tools: [] }));
    if (fault !== null) return end(fault);
  }
  while (!isOver(work)) {
    await work.hand.letGo();
    const reply = await ask(work, talk);
    if (reply === null) return null;
    if (!reply.ok) return end(reply);
    const taken = await takePushedStep(ctx, claim, n, stepOf(talk, reply), reply.usage);
    if (taken === null) return null;
    talk = { task, calls: [...talk.calls, ...taken.made], remindedAfter: taken.row.remindedAfter };
  }
  return null;
}

/** @returns null if the call was aborted because the task's time is up or the work must stop */
async function ask(work: TaskWork, talk: Conversation): Promise<ToolReply | TargetFault | null> {
  const reminded = talk.remindedAfter === null ? '' : '-reminded';
  crashPoint('target.calling');
  const reply = await call(work, {
    messages: messagesOf(talk),
    tools: toolDeclarations,
    position: `${work.open.row.n}-${talk.calls.length}${reminded}`,
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
  { ctx, chat, claim, target, open, hand, stop, turns }: TaskWork,
  { messages, tools, position, turn }: OneCall,
): Promise<ToolReply | TargetFault | null> {
  const leftMs = open.endsAt.getTime() + open.delayedMs - ctx.clock.now().getTime();
  if (leftMs <= 0) return null;
  const deadline = new PausableDeadline(leftMs, delayedMsMax);
  const takeSlot = turns(() => deadline.pause())[turn];
  const signal = AbortSignal.any([stop, deadline.signal]);
  try {
    const asked = { ...callTo(target, position), messages, tools, signal, hand };
    return await chat(target, (http) => callToolTarget(http, takeSlot, asked));
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  } finally {
    deadline.clear();
    const delayMs = deadline.pausedMs();
    if (delayMs >= notedDelayMs) {
      open.delayedMs += delayMs;
      await notePushedDelay(ctx, claim, open.row.n, delayMs);
    }
  }
}
