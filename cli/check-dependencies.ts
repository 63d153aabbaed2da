/**
 * Part of `npm run check`: every package is pinned, and no production package has a known serious
 * vulnerability.
 */
import { join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';
import { acceptedAdvisories } from './dependencies/accepted-advisories.ts';
import { auditPackages } from './dependencies/audit-packages.ts';
import { findUnpinned, type Lock, type Manifest } from './dependencies/find-unpinned.ts';

const manifest: Manifest = await Bun.file(join(projectFolder, 'package.json')).json();
// bun.lock is JSON with trailing commas.
const lock = Bun.JSONC.parse(await Bun.file(join(projectFolder, 'bun.lock')).text()) as Lock;

const faults = findUnpinned(manifest, lock);
const audit = auditPackages({
  folder: projectFolder,
  accepted: acceptedAdvisories,
  today: new Date().toISOString().slice(0, 10),
  environment: process.env,
});
switch (audit.kind) {
  case 'unanswered':
    console.log(`SKIPPED the search for known vulnerabilities: the registry ${audit.why}.`);
    break;
  case 'answered':
    for (const remark of audit.remarks) console.log(remark);
    faults.push(...audit.faults);
}
for (const fault of faults) console.error(fault);
console.log(`${Object.keys(lock.packages).length} packages locked, ${faults.length} problems.`);
process.exit(faults.length === 0 ? 0 : 1);
