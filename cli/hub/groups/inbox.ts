/** `hub inbox`: received mail and its processing status. */
import { showEmail as shown } from '#api/inbox/model.ts';
import { type InboxStatus, inboxStatuses } from '#db/schema/mail-tables.ts';
import { listEmails, setEmailStatus, showEmail } from '#domain/inbox/list-emails.ts';
import { argument, exampleId, rowId } from '../arguments.ts';
import {
  commandTable,
  operatorCommand,
  operatorListing,
  statusIn,
  statusOption,
  type WithStatus,
} from '../operator-command.ts';
import { fieldLines } from '../output.ts';

const args = [argument('<id>', 'Id of the email', rowId)];

const marks = [
  { name: 'triage', status: 'triaged' },
  { name: 'archive', status: 'archived' },
] as const;

export const addCommands = commandTable('inbox', 'Read received mail and set its status', [
  operatorListing({
    about: 'List emails, newest first',
    options: [statusOption('emails', inboxStatuses)],
    examples: ['--status new'],
    key: 'emails',
    read: (ctx, page, given: WithStatus<InboxStatus>) =>
      listEmails(ctx, { ...page, status: statusIn(given) }),
    shown,
    columns: {
      id: ({ id }) => id,
      status: ({ status }) => status,
      received: ({ receivedAt }) => receivedAt,
      from: ({ sender }) => sender,
      subject: ({ subject }) => subject,
    },
  }),
  operatorCommand({
    name: 'show',
    about: 'Show an email with its text',
    args,
    examples: [exampleId],
    run: async (ctx, { id: emailId }: { id: string }) => {
      const email = await showEmail(ctx, { emailId });
      const attachments = email.attachments.map(
        ({ filename, contentType, size }) => `${filename ?? contentType} (${size} bytes)`,
      );
      const fields = fieldLines({
        from: email.sender,
        to: email.recipients,
        subject: email.subject,
        received: email.receivedAt,
        status: email.status,
        attachments: attachments.join(', ') || 'none',
      });
      return [{ email: shown(email) }, [...fields, '', email.text]];
    },
  }),
  ...marks.map(({ name, status }) =>
    operatorCommand({
      name,
      about: `Mark an email as ${status}; any status may follow any other`,
      args,
      examples: [exampleId],
      run: async (ctx, { id: emailId }: { id: string }) => {
        const email = await setEmailStatus(ctx, { emailId, status });
        return [{ email: shown(email) }, [`${email.id} is ${email.status}`]];
      },
    }),
  ),
]);
