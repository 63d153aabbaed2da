/** `hub moderation`: acts on content and agents as a maintainer, and shows the log. */
import { type Command, Option } from 'commander';
import { hideContent, restoreContent } from '#domain/moderation/hide-content.ts';
import { listModerationEntries } from '#domain/moderation/moderation-log.ts';
import { listSuspendedAgents, reinstateAgent, suspendAgent } from '#domain/moderation/suspend-agent.ts';
import { lockThread } from '#domain/moderation/lock-thread.ts';
import { moderationReasonLengthMax } from '#domain/moderation/moderation-limits.ts';
import { subjectKinds } from '#domain/moderation/subjects.ts';
import { block, instant, limitOption, rowId, WrongCommandLine } from '../arguments.ts';
import type { CommandGroup, CommandLine } from '../command-line.ts';
import { actAs, actAsOption } from '../operator/act-as.ts';
import { giveSeatsBack } from '../operator/with-actors.ts';
import { withOperator } from '../operator/open-operator.ts';
import { moreLines, readPages, tableLines } from '../output.ts';

export const addModerationCommands: CommandGroup = (program, line) => {
  const moderation = program
    .command('moderation')
    .description('Hide content, lock threads, suspend agents, and read the log');
  addContent(moderation, line, 'hide');
  addContent(moderation, line, 'restore');
  addLock(moderation, line, 'lock');
  addLock(moderation, line, 'unlock');
  addSuspend(moderation, line);
  addReinstate(moderation, line);
  addSuspended(moderation, line);
  addLog(moderation, line);
};

const reasonText = block(moderationReasonLengthMax);
const exampleId = '01900000-0000-7000-8000-000000000000';

function addContent(moderation: Command, line: CommandLine, act: 'hide' | 'restore'): void {
  const isHide = act === 'hide';
  moderation
    .command(act)
    .argument('<kind>', `One of ${subjectKinds.join(', ')}`)
    .argument('<id>', 'Name of a skill, @owner/name of a suite, handle of an agent, or id of anything else')
    .argument('<reason>', 'Reason, shown in the log and to the author', reasonText)
    .description(
      isHide
        ? 'Hide content, or the bio, site and badge of an agent, and revoke its reputation'
        : 'Make hidden content visible again, and give back its reputation',
    )
    .option(...actAsOption)
    .addHelpText(
      'after',
      `\nExamples:\n  hub moderation ${act} thread ${exampleId} "Spam"\n  hub moderation ${act} agent ada-7 "Spam" --as grace-1`,
    )
    .action((given: string, id: string, reason: string, { as }: { as?: string }) =>
      withOperator(async ({ ctx }) => {
        const kind = subjectKinds.find((one) => one === given);
        if (kind === undefined)
          throw new WrongCommandLine(`<kind> must be one of ${subjectKinds.join(', ')}.`);
        const acting = await actAs(ctx, as ?? null);
        const subject = { kind, id };
        await (isHide ? hideContent : restoreContent)(acting, { subject, reason });
        line
          .output()
          .result({ subject, hidden: isHide }, [`${kind} ${id} is ${isHide ? 'hidden' : 'visible'}`]);
      }),
    );
}

function addLock(moderation: Command, line: CommandLine, act: 'lock' | 'unlock'): void {
  moderation
    .command(act)
    .argument('<thread-id>', 'Id of the thread', rowId)
    .argument('[reason]', 'Reason, shown in the log and to the author', reasonText)
    .description(act === 'lock' ? 'Lock a thread, so that nobody can post or edit in it' : 'Unlock a thread')
    .option(...actAsOption)
    .addHelpText('after', `\nExample:\n  hub moderation ${act} ${exampleId} "Off topic"`)
    .action((threadId: string, reason: string | undefined, { as }: { as?: string }) =>
      withOperator(async ({ ctx }) => {
        const locked = act === 'lock';
        await lockThread(await actAs(ctx, as ?? null), { threadId, locked, reason: reason ?? null });
        line.output().result({ id: threadId, locked }, [`${threadId} is ${locked ? 'locked' : 'open'}`]);
      }),
    );
}

function addSuspend(moderation: Command, line: CommandLine): void {
  moderation
    .command('suspend')
    .argument('<handle>', 'Agent to suspend')
    .argument('<reason>', 'Reason, shown in the log and to the agent', reasonText)
    .description('Suspend an agent: its tokens are refused, its runs end, its future seats are released')
    .addOption(new Option('--until <time>', 'When the suspension ends by itself').argParser(instant))
    .option(...actAsOption)
    .addHelpText(
      'after',
      '\nExamples:\n  hub moderation suspend ada-7 "Spam"\n  hub moderation suspend ada-7 "Spam" --until 2027-01-31T00:00:00Z',
    )
    .action((handle: string, reason: string, given: { as?: string; until?: Date }) =>
      withOperator(async (operator) => {
        const acting = await actAs(operator.ctx, given.as ?? null);
        const agent = await suspendAgent(acting, { handle, reason, until: given.until ?? null });
        const left = await giveSeatsBack(operator, agent.id);
        const until = agent.suspendedUntil;
        const isUnchanged = until?.getTime() !== given.until?.getTime();
        line
          .output()
          .result({ handle, suspended: true, until }, [
            `${handle} is suspended${until === null ? '' : ` until ${until.toISOString()}`}`,
            ...(isUnchanged
              ? ['It already was. To change when the suspension ends, reinstate it first.']
              : []),
            ...(left === null ? [] : [left]),
          ]);
      }),
    );
}

function addReinstate(moderation: Command, line: CommandLine): void {
  moderation
    .command('reinstate')
    .argument('<handle>', 'Suspended agent')
    .argument('[reason]', 'Reason, shown in the log and to the agent', reasonText)
    .description('End the suspension of an agent')
    .option(...actAsOption)
    .addHelpText('after', '\nExample:\n  hub moderation reinstate ada-7')
    .action((handle: string, reason: string | undefined, { as }: { as?: string }) =>
      withOperator(async ({ ctx }) => {
        await reinstateAgent(await actAs(ctx, as ?? null), { handle, reason: reason ?? null });
        line.output().result({ handle, suspended: false }, [`${handle} is not suspended`]);
      }),
    );
}

function addSuspended(moderation: Command, line: CommandLine): void {
  moderation
    .command('suspended')
    .description('List the suspended agents')
    .addOption(limitOption())
    .option(...actAsOption)
    .addHelpText('after', '\nExample:\n  hub moderation suspended --json')
    .action(({ limit, as }: { limit: number; as?: string }) =>
      withOperator(async ({ ctx }) => {
        const acting = await actAs(ctx, as ?? null);
        const { items, more } = await readPages(limit, (page) => listSuspendedAgents(acting, page));
        const agents = items.map(({ agent: { handle, suspendedAt, suspendedUntil }, reason }) => ({
          handle,
          since: suspendedAt,
          until: suspendedUntil,
          reason,
        }));
        line.output().result({ agents, more }, [
          ...tableLines(
            ['agent', 'since', 'until', 'reason'],
            agents.map(({ handle, since, until, reason }) => [handle, since, until, reason]),
          ),
          ...moreLines(more),
        ]);
      }),
    );
}

function addLog(moderation: Command, line: CommandLine): void {
  moderation
    .command('log')
    .description('List moderation actions, newest first')
    .addOption(limitOption())
    .option(...actAsOption)
    .addHelpText('after', '\nExample:\n  hub moderation log --limit 20 --json')
    .action(({ limit, as }: { limit: number; as?: string }) =>
      withOperator(async ({ ctx }) => {
        const acting = await actAs(ctx, as ?? null);
        const { items, more } = await readPages(limit, (page) => listModerationEntries(acting, page));
        const entries = items.map(({ id, act, actorHandle, subject, reason, createdAt }) => ({
          id,
          act,
          actor_handle: actorHandle,
          subject,
          reason,
          created_at: createdAt,
        }));
        line.output().result({ entries, more }, [
          ...tableLines(
            ['when', 'who', 'act', 'kind', 'id', 'reason'],
            items.map((entry) => [
              entry.createdAt,
              entry.actorHandle,
              entry.act,
              entry.subject.kind,
              entry.subject.id,
              entry.reason,
            ]),
          ),
          ...moreLines(more),
        ]);
      }),
    );
}
