/** Stores texts where no request can: in incoming email and in every job field that the dashboard shows. */
import { openQueue } from '#runtime/jobs/open-queue.ts';
import { receiveEmail } from '#domain/inbox/receive-email.ts';
import type { TestHub } from '#test/harness/hub.ts';

/** Emails with each text as subject, name, body, HTML and file name. */
export async function receiveMails(hub: TestHub, texts: readonly string[]): Promise<void> {
  const encoded = (text: string) => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`;
  for (const text of texts) {
    const head = `From: ${encoded(text)} <a@example.org>\r\nTo: ${encoded(text)} <b@example.org>\r\nSubject: ${encoded(text)}\r\n`;
    const parts = [
      `Content-Type: text/html; charset=utf-8\r\n\r\n${text}`,
      `Content-Type: text/html; name="${encoded(text)}"\r\nContent-Disposition: attachment\r\n\r\n${text}`,
    ];
    const body = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`;
    await receiveEmail(hub.ctx, { raw: Buffer.from(head + body) });
  }
}

/** Adds a job with more fields than the hub ever writes. @returns the path of its page */
export async function queueJob(hub: TestHub, texts: readonly string[]): Promise<string> {
  const queue = openQueue(hub.deps.redis, 'mail', hub.deps.logger);
  const job = await queue.add(
    texts[0]!,
    { texts, [texts[2]!]: texts[4] },
    { jobId: 'hostile', delay: 3_600_000 },
  );
  for (const text of texts) await job.log(text);
  await job.updateProgress({ text: texts[2]! });
  const shown = {
    failedReason: texts.join(' '),
    stacktrace: JSON.stringify(texts),
    returnvalue: JSON.stringify(texts),
  };
  await hub.deps.redis.hset(queue.toKey('hostile'), shown);
  return '/admin/queues/queue/mail/hostile';
}
