/**
 * Carries out batches of commands, one batch per event, each in order, in the caller's transaction. The number of
 * statements does not depend on the number of commands.
 */
import type { TransactionCtx } from '../context.ts';
import { DomainError } from '../errors.ts';
import type { EventRow } from './event-rows.ts';
import type { EventState } from './event-state.ts';
import { type AddressedCommand, loadEventState } from './load-event-state.ts';
import { saveEventState } from './save-event-state.ts';
import { applySeatCommand, type SeatCommand, type SeatReply } from './seat-commands.ts';

/** The commands for one event. */
export interface EventCommands {
  /** As the activation last saw it. While the epoch is unchanged, nobody else changes the row. */
  readonly event: EventRow;
  /** The id is the same for every delivery of a command. */
  readonly commands: readonly { readonly id: string; readonly command: SeatCommand }[];
}

export interface EventCommandsResult {
  readonly event: EventRow;
  readonly replies: readonly (SeatReply | DomainError)[];
}

/**
 * @throws an error for which `isFenceLost` holds, now or at the commit, if the epoch of an event has changed
 */
export async function handleSeatCommands(
  ctx: TransactionCtx,
  work: readonly EventCommands[],
): Promise<readonly EventCommandsResult[]> {
  const addressed = work.map(({ event, commands }) =>
    commands.map(({ id, command }): AddressedCommand => ({ event, commandId: id, command })),
  );
  const state = await loadEventState(
    ctx,
    work.map(({ event }) => event),
    addressed.flat(),
  );
  const replies = addressed.map((commands) => commands.map((command) => tryCommand(state, command)));
  await saveEventState(ctx, state);
  return work.map(({ event }, index) => ({
    event: { ...state.event(event.id) },
    replies: replies[index] ?? [],
  }));
}

function tryCommand(
  state: EventState,
  { event, commandId, command }: AddressedCommand,
): SeatReply | DomainError {
  try {
    return applySeatCommand(state, state.event(event.id), command, commandId);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}
