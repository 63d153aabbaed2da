/** Replaces the handle of a closed account in mails that were written to files, also in those whose rows were pruned. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { withoutHandleInMail } from '#domain/account/rename-copies.ts';
import { writeMailFile } from './file-transport.ts';

/** Files that one call checks. */
const filesAtOnceMax = 500;

export interface MailFiles {
  readonly folder: string;
  /** The name of the last file that an earlier call has looked at; null to start. */
  readonly after: string | null;
}

/** @returns the name of the last file; null if no files are left */
export async function renameInMailFiles(
  { folder, after }: MailFiles,
  handle: string,
): Promise<string | null> {
  const names = (await namesIn(folder)).toSorted();
  if (after === null) {
    // If a worker is writing the draft, it notices, and writes the mail again.
    for (const name of names.filter((one) => one.endsWith('.eml.draft')))
      if ((await readMail(join(folder, name)))?.names(handle)) await rm(join(folder, name), { force: true });
  }
  const page = names
    .filter((name) => name.endsWith('.eml') && (after === null || name > after))
    .slice(0, filesAtOnceMax);
  for (const name of page) {
    const mail = await readMail(join(folder, name));
    if (mail?.names(handle)) await renameInFile(folder, name, mail.content, handle);
  }
  return page.at(-1) ?? null;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

interface MailFile {
  readonly content: Buffer;
  names(handle: string): boolean;
}

/** Null for a file that somebody has removed in the meantime. */
async function readMail(path: string): Promise<MailFile | null> {
  try {
    const content = await readFile(path);
    // Quoted-printable breaks long lines, even within a word.
    const whole = content.toString('latin1').replaceAll('=\r\n', '').toLowerCase();
    return { content, names: (handle) => whole.includes(handle) };
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

async function renameInFile(folder: string, name: string, content: Buffer, handle: string): Promise<void> {
  const {
    from,
    to,
    replyTo,
    subject = '',
    text = '',
    messageId = '',
    date = '',
  } = await PostalMime.parse(content);
  const renamed = withoutHandleInMail({ subject, text }, handle);
  const [sender, recipient, reply] = [from, to?.[0], replyTo?.[0]?.address];
  if (renamed === null || sender?.address === undefined || recipient?.address === undefined) return;
  const addresses = {
    from: { name: sender.name, address: sender.address },
    operator: { name: recipient.name, address: recipient.address },
  };
  const mail = {
    ...renamed,
    id: messageId.slice(1, messageId.lastIndexOf('@')),
    recipient: null,
    replyTo: reply ?? null,
    createdAt: new Date(date),
  };
  await writeMailFile(folder, name, mail, addresses);
}
