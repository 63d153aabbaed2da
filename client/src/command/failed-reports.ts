/** The reports of a run that was not possible, because CI takes an empty file for a fault of its own. */
import { appendFileSync, writeFileSync } from 'node:fs';
import type { Options } from './options.ts';
import { shown } from './printed.ts';

/** @param summaryFile where GitHub collects what the steps of a job append */
export function writeFailedReports(
  { junit, markdown }: Pick<Options, 'junit' | 'markdown'>,
  summaryFile: string | undefined,
  message: string,
): void {
  const text = markdownOf(message);
  if (junit !== undefined) attempt(() => writeFileSync(junit, junitOf(message)));
  if (markdown !== undefined) attempt(() => writeFileSync(markdown, text));
  if (summaryFile) attempt(() => appendFileSync(summaryFile, text));
}

function attempt(write: () => void): void {
  try {
    write();
  } catch {
    // The message is on standard error, and may be this one.
  }
}

/** Nothing in an indented block is markup. */
function markdownOf(message: string): string {
  return `## Not possible\n\n${shown(message).replaceAll(/^/gm, '    ')}\n`;
}

function junitOf(message: string): string {
  const text = escapeXml(message);
  const counts = 'name="evaluate" tests="1" failures="0" errors="1"';
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${counts}>
<testsuite ${counts}>
<testcase name="run" classname="evaluate"><error message="${text}" type="not_possible">${text}</error>
</testcase>
</testsuite>
</testsuites>
`;
}

/** Characters that XML 1.0 forbids, even as references, are dropped. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll(/[&<>"'\t\r\n]/g, (character) => `&#${character.charCodeAt(0)};`);
}
