/** What is signalled when the delivery of a mail has ended. */
export function mailTopic(mailId: string): string {
  return `mail:${mailId}`;
}
