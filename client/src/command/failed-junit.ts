/** JUnit's XML of a run that was not possible, because CI takes an empty file for a fault of its own. */
import { writeFileSync } from 'node:fs';

export function writeFailedJunit(path: string, message: string): void {
  const text = escapeXml(message);
  const counts = 'name="evaluate" tests="1" failures="0" errors="1"';
  const xml = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${counts}>
<testsuite ${counts}>
<testcase name="run" classname="evaluate"><error message="${text}" type="not_possible">${text}</error>
</testcase>
</testsuite>
</testsuites>
`;
  try {
    writeFileSync(path, xml);
  } catch {
    // The message is on standard error, and may be this one.
  }
}

/** Characters that XML 1.0 forbids, even as references, are dropped. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll(/[&<>"'\t\r\n]/g, (character) => `&#${character.charCodeAt(0)};`);
}
