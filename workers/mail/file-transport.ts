/** Used while no SMTP server is set: writes each email to an `.eml` file. */
import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import MailComposer from 'nodemailer/lib/mail-composer';
import type { MailRow } from '#domain/mail/claim-mail.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { composeMail, type MailContent } from './compose-mail.ts';
import type { MailAddresses } from './mail-addresses.ts';
import type { Settings } from '#runtime/settings/settings.ts';
import type { MailTransport } from './deliver-mail.ts';

export function mailFolderOf({ dataDir }: Pick<Settings, 'dataDir'>): string {
  return join(dataDir, 'mail');
}

/** @param findMail the row of a mail as it is now; null if it was deleted */
export function createFileTransport(
  folder: string,
  addresses: MailAddresses,
  findMail: (id: string) => Promise<MailRow | null>,
): MailTransport {
  return {
    deliver: async (mail) => {
      try {
        await writeMailFile(folder, fileNameOf(mail), mail, addresses);
        // The account that it names may have been closed while it was being written.
        const now = await findMail(mail.id);
        if (now !== null && (now.subject !== mail.subject || now.text !== mail.text))
          await writeMailFile(folder, fileNameOf(mail), now, addresses);
        return { kind: 'taken' };
      } catch (error) {
        const said = error instanceof Error ? error.message : String(error);
        return { kind: 'refused', permanent: false, said };
      }
    },
  };
}

export async function writeMailFile(
  folder: string,
  name: string,
  mail: MailContent,
  addresses: MailAddresses,
): Promise<void> {
  await writeWhole(folder, name, await new MailComposer(composeMail(mail, addresses)).compile().build());
}

/** Names sort by time. An email always has the same name, so that another attempt overwrites its file. */
function fileNameOf({ createdAt, id }: MailRow): string {
  return `${createdAt.toISOString().replaceAll(':', '-')}_${id}.eml`;
}

/** Writes to a temporary name first, so that readers of the folder see only complete mails. */
async function writeWhole(folder: string, name: string, content: Uint8Array): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = join(folder, `.${name}.draft`);
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  crashPoint('mail.drafted');
  await rename(draft, join(folder, name));
}
