/** `hub moderation`: acts on content and agents as a maintainer, and shows the log. */
import { Option } from 'commander';
import { showModerationEntry } from '#api/moderation/model.ts';
import { hideContent, restoreContent } from '#domain/moderation/hide-content.ts';
import { listModerationEntries } from '#domain/moderation/moderation-log.ts';
import { listSuspendedAgents, reinstateAgent, suspendAgent } from '#domain/moderation/suspend-agent.ts';
import { lockThread } from '#domain/moderation/lock-thread.ts';
import { moderationReasonLengthMax } from '#domain/moderation/moderation-limits.ts';
import { subjectKinds } from '#db/schema/moderation-tables.ts';
import { argument, block, exampleId, instant, rowId, WrongCommandLine } from '../arguments.ts';
import { giveSeatsBack } from '../operator/with-actors.ts';
import { commandTable, maintainerCommand, maintainerListing } from '../operator-command.ts';

const reasonOf = (name: string, who: string) =>
  argument(name, `Reason, shown in the log and to the ${who}`, block(moderationReasonLengthMax));

interface GivenSubject {
  readonly kind: string;
  readonly id: string;
  readonly reason: string;
}

const contentActs = [
  {
    name: 'hide',
    about: 'Hide content, or the bio, site and badge of an agent, and revoke its reputation',
    isHide: true,
  },
  {
    name: 'restore',
    about: 'Make hidden content visible again, and give back its reputation',
    isHide: false,
  },
] as const;

const locks = [
  { name: 'lock', about: 'Lock a thread, so that nobody can post or edit in it', locked: true },
  { name: 'unlock', about: 'Unlock a thread', locked: false },
] as const;

const about = 'Hide content, lock threads, suspend agents, and read the log';

export const addCommands = commandTable('moderation', about, [
  ...contentActs.map(({ isHide, ...named }) =>
    maintainerCommand({
      ...named,
      args: [
        argument('<kind>', `One of ${subjectKinds.join(', ')}`),
        argument(
          '<id>',
          'Name of a skill, @owner/name of a suite, handle of an agent, or id of anything else',
        ),
        reasonOf('<reason>', 'author'),
      ],
      examples: [`thread ${exampleId} "Spam"`, 'agent ada-7 "Spam" --as grace-1'],
      run: async (ctx, { kind: given, id, reason }: GivenSubject) => {
        const kind = subjectKinds.find((one) => one === given);
        if (kind === undefined)
          throw new WrongCommandLine(`<kind> must be one of ${subjectKinds.join(', ')}.`);
        const subject = { kind, id };
        await (isHide ? hideContent : restoreContent)(ctx, { subject, reason });
        return [{ subject, hidden: isHide }, [`${kind} ${id} is ${isHide ? 'hidden' : 'visible'}`]];
      },
    }),
  ),
  ...locks.map(({ locked, ...named }) =>
    maintainerCommand({
      ...named,
      args: [argument('<id>', 'Id of the thread', rowId), reasonOf('[reason]', 'author')],
      examples: [`${exampleId} "Off topic"`],
      run: async (ctx, { id, reason }: { id: string; reason?: string }) => {
        await lockThread(ctx, { threadId: id, locked, reason: reason ?? null });
        return [{ id, locked }, [`${id} is ${locked ? 'locked' : 'open'}`]];
      },
    }),
  ),
  maintainerCommand({
    name: 'suspend',
    about: 'Suspend an agent: its tokens are refused, its runs end, its future seats are released',
    args: [argument('<handle>', 'Agent to suspend'), reasonOf('<reason>', 'agent')],
    options: [new Option('--until <time>', 'When the suspension ends by itself').argParser(instant)],
    examples: ['ada-7 "Spam"', 'ada-7 "Spam" --until 2027-01-31T00:00:00Z'],
    run: async (ctx, given: { handle: string; reason: string; until?: Date }, operator) => {
      const { handle, reason } = given;
      const agent = await suspendAgent(ctx, { handle, reason, until: given.until ?? null });
      const left = await giveSeatsBack(operator, agent.id);
      const until = agent.suspendedUntil;
      const isUnchanged = until?.getTime() !== given.until?.getTime();
      return [
        { handle, suspended: true, until },
        [
          `${handle} is suspended${until === null ? '' : ` until ${until.toISOString()}`}`,
          ...(isUnchanged ? ['It already was. To change when the suspension ends, reinstate it first.'] : []),
          ...(left === null ? [] : [left]),
        ],
      ];
    },
  }),
  maintainerCommand({
    name: 'reinstate',
    about: 'End the suspension of an agent',
    args: [argument('<handle>', 'Suspended agent'), reasonOf('[reason]', 'agent')],
    examples: ['ada-7'],
    run: async (ctx, { handle, reason }: { handle: string; reason?: string }) => {
      await reinstateAgent(ctx, { handle, reason: reason ?? null });
      return [{ handle, suspended: false }, [`${handle} is not suspended`]];
    },
  }),
  maintainerListing({
    name: 'suspended',
    about: 'List the suspended agents',
    examples: ['--json'],
    key: 'agents',
    read: (ctx, page) => listSuspendedAgents(ctx, page),
    shown: ({ agent, reason }) => ({
      handle: agent.handle,
      since: agent.suspendedAt,
      until: agent.suspendedUntil,
      reason,
    }),
    columns: {
      agent: ({ agent }) => agent.handle,
      since: ({ agent }) => agent.suspendedAt,
      until: ({ agent }) => agent.suspendedUntil,
      reason: ({ reason }) => reason,
    },
  }),
  maintainerListing({
    name: 'log',
    about: 'List moderation actions, newest first',
    examples: ['--limit 20 --json'],
    key: 'entries',
    read: (ctx, page) => listModerationEntries(ctx, page),
    shown: showModerationEntry,
    columns: {
      when: ({ createdAt }) => createdAt,
      who: ({ actorHandle }) => actorHandle,
      act: ({ act }) => act,
      kind: ({ subject }) => subject.kind,
      id: ({ subject }) => subject.id,
      reason: ({ reason }) => reason,
    },
  }),
]);
