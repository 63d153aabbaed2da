/** All seat commands, and what is derived from their list: types, JSON form, the rows they need, and dispatch. */
import type { TObject } from 'typebox';
import { DomainError } from '../errors.ts';
import { cancelEvent } from './commands/cancel-event.ts';
import { cancelSeat } from './commands/cancel-seat.ts';
import { changeEvent } from './commands/change-event.ts';
import { confirmMeeting } from './commands/confirm-meeting.ts';
import { joinWaitlist } from './commands/join-waitlist.ts';
import { reserveSeat } from './commands/reserve-seat.ts';
import type { SeatCommandModule } from './commands/seat-command.ts';
import { withdrawAgent } from './commands/withdraw-agent.ts';

/** Every seat command. */
const registry = [
  cancelEvent,
  cancelSeat,
  changeEvent,
  confirmMeeting,
  joinWaitlist,
  reserveSeat,
  withdrawAgent,
] as const;

type Registered = (typeof registry)[number];

export type SeatCommand = ReturnType<Registered['readCommand']>;
/** The reply to each kind of command. */
export type SeatReplies = { [Module in Registered as Module['name']]: ReturnType<Module['readReply']> };
export type SeatReply = SeatReplies[SeatCommand['kind']];
/** Each command with its reply. */
export type SeatProtocol = {
  [Kind in SeatCommand['kind']]: {
    readonly command: Extract<SeatCommand, { kind: Kind }>;
    readonly reply: SeatReplies[Kind];
  };
}[SeatCommand['kind']];

type AnyModule = SeatCommandModule<string, TObject, TObject>;

const modules: ReadonlyMap<unknown, AnyModule> = new Map(registry.map((module) => [module.name, module]));

/** @throws TypeError if it is malformed, DomainError queue_unavailable if this version does not know the command */
export function readSeatCommand(value: unknown): SeatCommand {
  const kind = typeof value === 'object' && value !== null && 'kind' in value ? value.kind : undefined;
  return moduleOf(kind).readCommand(value) as SeatCommand; // The module of this kind has read it.
}

/** @throws TypeError when it does not match */
export function readSeatReply(command: SeatCommand, value: unknown): SeatReply {
  return moduleOf(command.kind).readReply(value) as SeatReply; // The module of this command has read it.
}

/** How long the sender of a command waits; undefined for the default. */
export function seatCommandTimeoutMs({ kind }: SeatCommand): number | undefined {
  return moduleOf(kind).timeoutMs;
}

/** @throws DomainError queue_unavailable if this version does not know the command */
export function moduleOf(kind: unknown): AnyModule {
  const module = modules.get(kind);
  if (module !== undefined) return module;
  if (typeof kind === 'string') throw unknownCommand();
  throw new TypeError('Not a seat command: it has no `kind`.');
}

/** The command comes from a newer version. The caller retries until a worker of that version handles it. */
function unknownCommand(): DomainError {
  return new DomainError(
    'queue_unavailable',
    'The hub is being upgraded and does not know this command yet.',
    {
      hint: 'Nothing was changed. Retry the request with the same idempotency key.',
    },
  );
}
