/**
 * A seat command is one module: the form of the command and of its reply, the rows it needs, and its rule. Everything else
 * (reading it from JSON, loading, dispatch, types) is derived from the list in `registry.ts`.
 */
import { type Static, type TObject, Type } from 'typebox';
import { jsonReader } from '#runtime/json-reader.ts';
import type { EventDraft, EventState } from '../event-state.ts';

interface SeatCommandDefinition<Name extends string, Schema extends TObject, Reply extends TObject> {
  /** The command's `kind`. */
  readonly name: Name;
  /** Its other fields. */
  readonly schema: Schema;
  readonly reply: Reply;
  /** How long the sender waits for the reply; the default of actors when left out. */
  readonly timeoutMs?: number;
  /** The rows that `apply` needs, beside the event. */
  opens(command: Static<Schema>, commandId: string): SeatCommandRows;
  /**
   * Carries the command out in memory.
   * @param commandId the same for every delivery of the command
   * @throws DomainError having changed nothing
   */
  apply(state: EventState, event: EventDraft, command: Static<Schema>, commandId: string): Static<Reply>;
}

/** Rows of the command's event, and of the agents it names. */
export interface SeatCommandRows {
  /** The token account of this agent. */
  readonly account?: string;
  /** The seat that this agent holds. */
  readonly seatHeldBy?: string;
  /** The seat reserved under this key of the agent, at whichever event. */
  readonly reservation?: { readonly agentId: string; readonly key: string };
  /** The agent's seat that this command has cancelled. */
  readonly cancellation?: { readonly agentId: string; readonly cancelledBy: string };
  /** The reserved seat with this id. */
  readonly seatId?: string;
  /** Every reserved seat. */
  readonly allSeats?: boolean;
  readonly waitlist?: boolean;
  /** What was paid for the seats, and the accounts of those who paid. */
  readonly refunds?: boolean;
}

export type SeatCommandModule<
  Name extends string,
  Schema extends TObject,
  Reply extends TObject,
> = SeatCommandDefinition<Name, Schema, Reply> & {
  readonly readCommand: (value: unknown) => { readonly kind: Name } & Static<Schema>;
  readonly readReply: (value: unknown) => Static<Reply>;
};

export function seatCommand<Name extends string, Schema extends TObject, Reply extends TObject>(
  definition: SeatCommandDefinition<Name, Schema, Reply>,
): SeatCommandModule<Name, Schema, Reply> {
  const { name, schema, reply } = definition;
  const wire = Type.Object({ ...schema.properties, kind: Type.Literal(name) });
  return {
    ...definition,
    // The two parts of `wire`, which the compiler cannot put together for a generic schema.
    readCommand: jsonReader(wire, `${name} command`) as (
      value: unknown,
    ) => { readonly kind: Name } & Static<Schema>,
    readReply: jsonReader(reply, `reply to ${name}`),
  };
}
