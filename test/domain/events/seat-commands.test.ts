/** The JSON form of every seat command and its reply. */
import { expect, test } from 'bun:test';
import { readSeatCommand, readSeatReply, type SeatCommand } from '#domain/events/seat-commands.ts';
import { seatCommands, seatReplies } from './seat-samples.ts';
import { join } from 'node:path';
import { DomainError } from '#domain/errors.ts';
import { projectFolder } from '#runtime/project-files.ts';

const overTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test.each(seatCommands.map((command) => [command.kind, command] as const))(
  'a %s command survives JSON',
  (_, command) => {
    expect(readSeatCommand(overTheWire(command))).toEqual(command);
  },
);

test.each([
  ['nothing', null],
  ['a text', 'reserve-seat'],
  ['a kind of another type', { kind: 7, agentId: 'a' }],
  ['a field of another type', { kind: 'join-waitlist', agentId: 7 }],
  ['a missing field', { kind: 'reserve-seat', agentId: 'a', agentHandle: 'ada' }],
  ['half a seat', { kind: 'change-event', changes: { seatsTotal: 1.5 } }],
  ['a text that is not an instant', { kind: 'change-event', changes: { startsAt: 'soon' } }],
])('%s is not a command', (_, value) => {
  expect(() => readSeatCommand(value)).toThrow(TypeError);
});

test('a command of a newer version is refused, so that its caller retries', () => {
  const read = () => readSeatCommand({ kind: 'sell-seat', agentId: 'a' });
  expect(read).toThrow(expect.objectContaining({ code: 'queue_unavailable' }));
});

const commandOf = (kind: SeatCommand['kind']): SeatCommand =>
  seatCommands.find((command) => command.kind === kind)!;

test.each(seatReplies)('the reply to %s survives JSON', (kind, reply) => {
  expect(readSeatReply(commandOf(kind), overTheWire(reply))).toEqual(reply);
});

test.each(seatReplies)('an incomplete reply to %s is refused', (kind, reply) => {
  for (const field of Object.keys(reply)) {
    expect(() => readSeatReply(commandOf(kind), overTheWire({ ...reply, [field]: undefined }))).toThrow(
      TypeError,
    );
  }
  expect(() => readSeatReply(commandOf(kind), null)).toThrow(TypeError);
});

/** Every seat command has all that it needs. */
test('every seat command is in the registry, and has a sample of itself and of its reply', async () => {
  const folder = join(projectFolder, 'domain', 'events', 'commands');
  const names: string[] = [];
  for (const file of new Bun.Glob('*.ts').scanSync(folder)) {
    const exported: Readonly<Record<string, unknown>> = await import(join(folder, file));
    for (const value of Object.values(exported))
      if (typeof value === 'object' && value !== null && 'apply' in value && 'name' in value)
        names.push(String(value.name));
  }
  expect(names.length).toBeGreaterThan(5);
  const isUnknown = (kind: string): boolean => {
    try {
      readSeatCommand({ kind });
      return false;
    } catch (error) {
      return error instanceof DomainError;
    }
  };
  expect(names.filter(isUnknown)).toEqual([]);
  expect([...new Set(seatCommands.map(({ kind }) => kind))].toSorted()).toEqual(names.toSorted() as never[]);
  expect([...new Set(seatReplies.map(([kind]) => kind))].toSorted()).toEqual(names.toSorted() as never[]);
});
