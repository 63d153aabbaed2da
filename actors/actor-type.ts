/**
 * A type of actor, as the runtime sees it. An actor is one row in the database with one mailbox. One
 * activation at a time handles its commands, in order. The code of an actor knows nothing of Redis, and
 * handles several actors concurrently, so that their batches can share a transaction and its fixed number of
 * statements.
 */
import type { TransactionCtx } from '#domain/context.ts';
import type { DomainError } from '#domain/errors.ts';
import type { CommandResult, Message } from './messages.ts';

/** The name of the type and the id of the actor. */
export type ActorAddress = `${string}/${string}`;

/** Stands for the epoch of an actor that does not exist. A claim always returns a higher one. */
export const epochOfNobody = 0;

/** The next commands of one actor. */
export interface Work {
  readonly actorId: string;
  /** From the claim, which must precede reading the messages. */
  readonly epoch: number;
  /** Null: read the actor first. */
  readonly state: unknown;
  readonly messages: readonly Message[];
}

export interface WorkDone {
  /** Null: read the actor again next time. */
  readonly state: unknown;
  /** The replies to the first messages, in order, all committed. */
  readonly results: readonly CommandResult[];
  /** Why the other messages were not handled. */
  readonly end: 'done' | 'superseded' | { readonly error: unknown };
}

export interface Committer {
  /** Never rejects. */
  commit(work: Work): Promise<WorkDone>;
}

export interface ActorBatch<Command, State> {
  readonly actorId: string;
  readonly state: State;
  readonly messages: readonly Pick<Message<Command>, 'id' | 'command'>[];
}

export interface ActorOutcome<State, Reply> {
  /** Kept for the next batch once the transaction has committed. */
  readonly state: State;
  /** In the order of the messages. A refusal does not undo the other commands: they are committed. */
  readonly replies: readonly (Reply | DomainError)[];
}

/** The protocol of a type of actor is a union with one such member for each command. */
export interface ActorProtocol {
  readonly command: unknown;
  readonly reply: unknown;
}

export type ReplyTo<Protocol extends ActorProtocol, Command> = Protocol extends ActorProtocol
  ? Command extends Protocol['command']
    ? Protocol['reply']
    : never
  : never;

/** @typeParam State what an activation keeps between batches, above all its epoch; never changed in place */
export interface ActorType<Protocol extends ActorProtocol, State> {
  /** Part of keys in Redis: lower-case letters and hyphens. */
  readonly name: string;
  /**
   * Reads a command that came over Redis.
   * @throws DomainError if only a newer version knows the command; another error if the command is malformed
   */
  readCommand(value: unknown): Protocol['command'];
  /** Reads the reply to a command, which came over Redis. @throws when it does not match */
  readReply(command: Protocol['command'], value: unknown): Protocol['reply'];
  /** How long the sender of a command waits; undefined for the default. */
  timeoutMsOf?(command: Protocol['command']): number | undefined;
  /** The refusal of commands to an actor that does not exist. */
  refuseUnknown(): DomainError;
  /**
   * Claims actors for new activations: raises the epoch in each row, which fences off every earlier activation.
   * @returns the new epochs, without actors that do not exist
   */
  claim(ctx: TransactionCtx, actorIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Reads claimed actors. @returns those whose epoch is still the given one */
  load(ctx: TransactionCtx, epochs: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, State>>;
  /**
   * Handles one batch per actor, and writes each actor's row only if its epoch is still the one in `state`. If an epoch
   * has changed, i.e. a newer activation exists, it throws an error for which `isFenceLost` holds, or makes the commit
   * fail with one.
   */
  handle(
    ctx: TransactionCtx,
    batches: readonly ActorBatch<Protocol['command'], State>[],
  ): Promise<readonly ActorOutcome<State, Protocol['reply']>[]>;
}

/** Any type of actor. */
export type AnyActorType = ActorType<ActorProtocol, unknown>;
