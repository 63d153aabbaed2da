/**
 * Records what this version writes for other processes: `bun test/wire/record.ts <commit of the release>`. The next
 * version is tested against it. Without a commit, before the first release, it replaces the record of today's forms.
 */
import { join } from 'node:path';
import { writeWireForms } from './wire-forms.ts';

const commit = process.argv[2] ?? null;
if (commit !== null && !/^[0-9a-f]{7,40}$/.test(commit)) {
  console.error('Usage: bun test/wire/record.ts [<commit of the release>]');
  process.exit(2);
}
const forms = await writeWireForms();
const file = join(import.meta.dir, 'previous-version.json');
await Bun.write(file, `${JSON.stringify({ commit, ...forms }, null, 2)}\n`);
console.log(`Recorded ${file}.`);
process.exit(0);
