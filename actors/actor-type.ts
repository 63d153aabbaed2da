/**
 * What a kind of actor is to the runtime. An actor is one row in the store with one mailbox; one activation at a time
 * handles its commands, in the order in which they came. Its code knows nothing of Redis, and is written for several
 * actors at once, so that batches of different actors can share a transaction and its fixed number of statements.
 */
import type { TransactionCtx } from '#domain/context.ts';
import type { DomainError } from '#domain/errors.ts';
import type { Cause } from '#runtime/tracing/cause.ts';
import type { Span } from '#runtime/tracing/tracing.ts';
import type { Answer } from './replies.ts';

/** Names one actor among all: the name of its type, and its id. */
export type ActorAddress = `${string}/${string}`;

/** A command as an actor gets it. It may come more than once, under the same id. */
export interface Letter<Command> {
  readonly id: string;
  readonly command: Command;
  readonly cause?: Cause | undefined;
  /** Where the command's request is traced. */
  readonly span?: Span;
}

/** One actor's next commands. */
export interface Work {
  readonly actorId: string;
  /** Null: the actor has to be loaded first. */
  readonly state: unknown;
  readonly letters: readonly Letter<unknown>[];
}

export interface WorkDone {
  /** Null: unknown, to be loaded again. */
  readonly state: unknown;
  /** To the letters from the first one on; what is committed by now. */
  readonly answers: readonly Answer[];
  /** Why the letters that have no answer were not handled. */
  readonly end: 'done' | 'superseded' | { readonly error: unknown };
}

export interface Committer {
  /** Never rejects. */
  commit(work: Work): Promise<WorkDone>;
}

export interface ActorBatch<Command, State> {
  readonly actorId: string;
  readonly state: State;
  readonly letters: readonly Letter<Command>[];
}

export interface ActorOutcome<State, Reply> {
  /** Is kept for the next batch once the transaction has committed. */
  readonly state: State;
  /** In the order of the letters. A refusal is an answer like others: what its neighbours did is committed. */
  readonly replies: readonly (Reply | DomainError)[];
}

/** The commands of a type of actor: a union with one member for each command and its reply. */
export interface ActorProtocol {
  readonly command: unknown;
  readonly reply: unknown;
}

export type ReplyTo<Protocol extends ActorProtocol, Command> = Protocol extends ActorProtocol
  ? Command extends Protocol['command']
    ? Protocol['reply']
    : never
  : never;

/** @typeParam State what an activation remembers between batches, its epoch above all; never changed in place */
export interface ActorType<Protocol extends ActorProtocol, State> {
  /** Part of keys in Redis: lower-case letters and hyphens. */
  readonly name: string;
  /** Reads a command that came over Redis. @throws when it is none */
  readCommand(value: unknown): Protocol['command'];
  /** Reads the reply to a command, which came over Redis. @throws when it is none */
  readReply(command: Protocol['command'], value: unknown): Protocol['reply'];
  /** How long the sender of a command waits for its reply; undefined for the default. */
  timeoutMsOf?(command: Protocol['command']): number | undefined;
  /** The refusal of commands to an actor that there is not. */
  refuseUnknown(): DomainError;
  /**
   * Takes actors over for a new activation: raises the epoch in each one's row, which from then on shuts out every
   * earlier activation, and reads what it needs. Actors that do not exist are missing in the answer.
   */
  load(ctx: TransactionCtx, actorIds: readonly string[]): Promise<ReadonlyMap<string, State>>;
  /**
   * Handles batches, one of each actor, and writes every actor's row on the condition that it still has the epoch in
   * `state`. Null stands for an actor that has another one: a newer activation exists. Everything is rolled back then.
   */
  handle(
    ctx: TransactionCtx,
    batches: readonly ActorBatch<Protocol['command'], State>[],
  ): Promise<readonly (ActorOutcome<State, Protocol['reply']> | null)[]>;
}

/** A type of actor as the runtime sees it. */
export type AnyActorType = ActorType<ActorProtocol, unknown>;
