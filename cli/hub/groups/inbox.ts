/** `hub inbox`: received mail and its processing status. */
import { type Command, Option } from 'commander';
import type { InboxStatus } from '#db/schema/mail-tables.ts';
import { type EmailRow, listEmails, setEmailStatus, showEmail } from '#domain/inbox/list-emails.ts';
import { limitOption, rowId } from '../arguments.ts';
import type { CommandGroup, CommandLine } from '../command-line.ts';
import { withOperator } from '../operator/open-operator.ts';
import { fieldLines, moreLines, pickFields, readPages, tableLines } from '../output.ts';

export const addInboxCommands: CommandGroup = (program, line) => {
  const inbox = program.command('inbox').description('Read received mail and set its status');
  addList(inbox, line);
  addShow(inbox, line);
  addMark(inbox, line, { name: 'triage', status: 'triaged' });
  addMark(inbox, line, { name: 'archive', status: 'archived' });
};

const statuses = ['new', 'triaged', 'archived'] as const satisfies readonly InboxStatus[];

function addList(inbox: Command, line: CommandLine): void {
  inbox
    .command('list')
    .description('List emails, newest first')
    .addOption(
      new Option('--status <status>', 'Only emails with this status, or all')
        .choices([...statuses, 'all'])
        .default('all'),
    )
    .addOption(limitOption())
    .addHelpText('after', '\nExample:\n  hub inbox list --status new')
    .action((given: { status: InboxStatus | 'all'; limit: number }) =>
      withOperator(async ({ ctx }) => {
        const status = given.status === 'all' ? null : given.status;
        const { items, more } = await readPages(given.limit, (page) => listEmails(ctx, { ...page, status }));
        line.output().result({ emails: items.map(shown), more }, [
          ...tableLines(
            ['id', 'status', 'received', 'from', 'subject'],
            items.map(({ id, status: is, receivedAt, sender, subject }) => [
              id,
              is,
              receivedAt,
              sender,
              subject,
            ]),
          ),
          ...moreLines(more),
        ]);
      }),
    );
}

function addShow(inbox: Command, line: CommandLine): void {
  inbox
    .command('show')
    .argument('<id>', 'Id of the email', rowId)
    .description('Show an email with its text')
    .addHelpText('after', '\nExample:\n  hub inbox show 01900000-0000-7000-8000-000000000000')
    .action((emailId: string) =>
      withOperator(async ({ ctx }) => {
        const email = await showEmail(ctx, { emailId });
        line.output().result({ email: shown(email) }, [
          ...fieldLines({
            from: email.sender,
            to: email.recipients,
            subject: email.subject,
            received: email.receivedAt,
            status: email.status,
            attachments:
              email.attachments
                .map(({ filename, content_type, size }) => `${filename ?? content_type} (${size} bytes)`)
                .join(', ') || 'none',
          }),
          '',
          email.text,
        ]);
      }),
    );
}

function addMark(
  inbox: Command,
  line: CommandLine,
  { name, status }: { name: string; status: InboxStatus },
): void {
  inbox
    .command(name)
    .argument('<id>', 'Id of the email', rowId)
    .description(`Mark an email as ${status}; any status may follow any other`)
    .addHelpText('after', `\nExample:\n  hub inbox ${name} 01900000-0000-7000-8000-000000000000`)
    .action((emailId: string) =>
      withOperator(async ({ ctx }) => {
        const email = await setEmailStatus(ctx, { emailId, status });
        line.output().result({ email: shown(email) }, [`${email.id} is ${email.status}`]);
      }),
    );
}

function shown({ sender, recipients, ...email }: EmailRow): Record<string, unknown> {
  return {
    ...pickFields(email, ['id', 'messageId']),
    from: sender,
    to: recipients,
    ...pickFields(email, ['subject', 'text', 'attachments', 'status', 'receivedAt', 'updatedAt']),
  };
}
