/** What a protocol is. Each one is a file in `protocols/` and a line in the registry, `protocols.ts`. */
import type { FailureCause, RunFailureCode } from '#db/schema/run-tables.ts';
import type { TokenUsage } from '#evals/token-usage.ts';
import type { ConversationMessage, Tool, ToolCall } from '#evals/worlds/world.ts';
import type { GuardedRequest } from '#runtime/guarded-http/guarded-request.ts';
import type { RetriedOutcome } from '#runtime/guarded-http/with-retries.ts';
import type { CardInterface } from './agent-card.ts';
import type { GivenCall } from './tool-calls.ts';

export interface Protocol {
  readonly name: string;
  /** In forms. */
  readonly label: string;
  /** What the hub sends and reads, in a sentence or two, for the guides and the API reference. */
  readonly about: string;
  /** A usable reply. */
  readonly expected: string;
  /** A reply of this protocol where another one was expected, as the end of a sentence; null if it cannot be told. */
  readonly replyIs: string | null;
  /** How the path of a URL of this protocol ends; null if it may be any. */
  readonly path: string | null;
  readonly ask: OneRequest | Conversation;
  /** Whether `ask` offers tools and carries their results. */
  readonly offersTools?: true;
}

/** A protocol in which a request with the whole conversation gets the reply. */
export interface OneRequest {
  readonly headers?: Readonly<Record<string, string>>;
  body(asked: Asked): object;
  /** @returns null for a value of another format */
  read(value: unknown): ReadText | null;
}

export interface Asked {
  readonly model: string | null;
  /** The conversation so far; the last message is the user's, or the result of a call. */
  readonly messages: readonly ConversationMessage[];
  readonly system?: string | null;
  /** Tools to offer, if the protocol does. */
  readonly tools?: readonly Tool[];
}

export type ReadText =
  | {
      /** Null if none came. An empty text is one that came. */
      readonly text: string | null;
      /** Of the tools that were offered; null if they cannot be read. */
      readonly calls?: readonly GivenCall[] | null;
    }
  /** Why a reply of this format has no usable text. */
  | { readonly problem: string };

/** A protocol that needs several requests for a reply. */
export type Conversation = (call: TargetCall, line: Line) => Promise<TargetOutcome>;

/** How a call reaches its target. The caller limits and retries the requests. */
export interface Line {
  /** The headers of the target are added if the URL has its origin. */
  send(request: LineRequest): Promise<SentOutcome>;
  /** @returns how long it was, which the caller may choose */
  pause(ms: number): Promise<number>;
  /** Says what is wrong with the last response, for a probe. */
  note(problem: string): void;
}

export type SentOutcome = RetriedOutcome & OfRequest;

export interface OfRequest {
  /** The size of the body that was sent; 0 if there was none. */
  readonly sentBytes: number;
}

export interface LineRequest {
  readonly url: string;
  readonly method: GuardedRequest['method'];
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
  readonly timeoutMs: number;
}

export interface AnyCall {
  readonly url: string;
  readonly protocol: string;
  readonly model: string | null;
  /** The run's own headers, decrypted. */
  readonly headers: Readonly<Record<string, string>>;
  /** For all requests of the call together; null for the client's own limit. */
  readonly timeoutMs: number | null;
  /** Names the run and the position in it, so that a target can recognise a repeated call. */
  readonly idempotencyKey: string;
}

export interface TargetCall extends AnyCall, Asked {
  /** From the previous reply of the same case. */
  readonly contextId?: string | null;
  /** What earlier calls of the run have learned about the target. */
  readonly memory?: TargetMemory;
}

/** Protocols add what they learn. */
export interface TargetMemory {
  a2a?: CardInterface;
}

export type TargetFaultCode = Extract<RunFailureCode, `target_${string}`>;

export type TargetOutcome =
  | {
      readonly ok: true;
      readonly text: string;
      readonly status: number;
      readonly latencyMs: number;
      readonly usage: TokenUsage | null;
      readonly toolCalls?: readonly ToolCall[];
      /** Why the target ended the reply early, such as `length`. */
      readonly cut?: string;
      /** For the next call of the same case. */
      readonly contextId?: string | null;
    }
  | TargetFault;

export interface TargetFault {
  readonly ok: false;
  readonly code: TargetFaultCode;
  /** What is wrong, in one sentence. */
  readonly problem: string;
  readonly hasUnreadCall?: true;
  readonly cause: FailureCause;
  /** Whether the given URL responded, and one that it named could not be reached. */
  readonly isElsewhere?: true;
}

/** Whether no other request to the host can succeed. */
export function isBeyondReach({ code, isElsewhere }: TargetFault): boolean {
  return isElsewhere !== true && (code === 'target_unreachable' || code === 'target_blocked');
}

/** Whether the target accepts no bodies of this size. Other long prompts would fail too, whatever its agent can do. */
export function isBodyLimit({ cause }: Pick<TargetFault, 'cause'>): boolean {
  return cause.status === tooLargeStatus;
}

/** Content Too Large. */
export const tooLargeStatus = 413;
