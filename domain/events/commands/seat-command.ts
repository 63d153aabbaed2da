/**
 * A seat command is one module: the schemas of the command and its reply, the rows it needs, and its rule.
 * Everything else (types, JSON form, loading, dispatch) is derived from the list in `seat-commands.ts`.
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
  /** How long the sender waits; defaults to that of the actor runtime. */
  readonly timeoutMs?: number;
  /** The rows that `apply` needs besides the event. */
  opens(command: Static<Schema>, commandId: string): SeatCommandRows;
  /**
   * Carries out the command in memory.
   * @param commandId the same for every delivery of the command
   * @throws DomainError having changed nothing
   */
  apply(state: EventState, event: EventDraft, command: Static<Schema>, commandId: string): Static<Reply>;
}

/** Rows to load. Seats and waitlist are those of the command's event. */
export interface SeatCommandRows {
  /** The token account of this agent. */
  readonly account?: string;
  /** The suspension of this agent. Its account must be opened too, so that no other begins meanwhile. */
  readonly suspension?: string;
  /** The live seat of this agent. */
  readonly seatHeldBy?: string;
  /** The seat that the agent reserved under this key, at any event. */
  readonly reservation?: { readonly agentId: string; readonly key: string };
  /** The agent's seat that was cancelled under this name. */
  readonly cancellation?: { readonly agentId: string; readonly cancelledBy: string };
  /** The reserved seat with this id. */
  readonly seatId?: string;
  /** All reserved seats. */
  readonly allSeats?: boolean;
  readonly waitlist?: boolean;
  /** The spends of the loaded seats, and the accounts they came from. */
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
    // The compiler cannot derive the type of `wire` from a generic schema.
    readCommand: jsonReader(wire, `${name} command`) as (
      value: unknown,
    ) => { readonly kind: Name } & Static<Schema>,
    readReply: jsonReader(reply, `reply to ${name}`),
  };
}
