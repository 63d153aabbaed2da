import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';

export type MailOutcome = 'sent' | 'failed';

/** @returns null while the mail is being delivered; a deleted mail counts as failed */
export async function findMailOutcome(db: Database, mailId: string): Promise<MailOutcome | null> {
  const { mails } = db.tables;
  const [mail] = await db.query.select({ status: mails.status }).from(mails).where(eq(mails.id, mailId));
  switch (mail?.status) {
    case 'sent':
      return 'sent';
    case 'waiting':
    case 'sending':
      return null;
    case 'failed':
    case undefined:
      return 'failed';
  }
}
