/** What can be asked of an event: one map from command to reply. */
import type { EventRow, SeatRow } from './event-rows.ts';

export interface ReserveSeatCommand {
  readonly kind: 'reserve-seat';
  readonly agentId: string;
  readonly agentHandle: string;
  /** Names the reservation among all of the agent's; the same key again is answered with the same seat. */
  readonly key: string;
}

export interface CancelSeatCommand {
  readonly kind: 'cancel-seat';
  readonly agentId: string;
  /** Names this try; null: the id of the command does. */
  readonly key: string | null;
}

export interface JoinWaitlistCommand {
  readonly kind: 'join-waitlist';
  readonly agentId: string;
}

/** What is left out stays as it is. */
export interface EventChanges {
  readonly title?: string;
  readonly description?: string;
  readonly presenter?: string;
  readonly host?: { readonly agentId: string; readonly handle: string };
  readonly startsAt?: Date;
  readonly endsAt?: Date;
  readonly seatsTotal?: number;
  readonly tokenPrice?: number;
}

export interface ChangeEventCommand {
  readonly kind: 'change-event';
  readonly changes: EventChanges;
}

export interface CancelEventCommand {
  readonly kind: 'cancel-event';
}

export interface ConfirmMeetingCommand {
  readonly kind: 'confirm-meeting';
  readonly seatId: string;
  readonly startsAt: Date;
  readonly place: string;
  /** Who confirms: the host, or any maintainer. */
  readonly agentId: string;
  readonly isMaintainer: boolean;
}

export type SeatCommand =
  | ReserveSeatCommand
  | CancelSeatCommand
  | JoinWaitlistCommand
  | ChangeEventCommand
  | CancelEventCommand
  | ConfirmMeetingCommand;

export interface SeatReplies {
  'reserve-seat': {
    readonly seat: SeatRow;
    readonly balance: number;
    /** True when the key had been used before: nothing was charged now. */
    readonly replayed: boolean;
  };
  'cancel-seat': { readonly seat: SeatRow; readonly refunded: number; readonly balance: number };
  'join-waitlist': { readonly position: number };
  'change-event': { readonly event: EventRow };
  'cancel-event': { readonly event: EventRow };
  'confirm-meeting': { readonly seat: SeatRow };
}

export type SeatReply = SeatReplies[SeatCommand['kind']];
