/**
 * Checks the subjects of all commits since `.githooks/commit-msg` was added, which checks the same as a commit is made:
 * `bun cli/check-commits.ts [<folder>]`.
 */
import { spawnSync } from 'node:child_process';

const subjectLengthMax = 72;
const hook = '.githooks/commit-msg';
const [folder = '.'] = process.argv.slice(2);

function git(...args: readonly string[]): string | null {
  const { status, stdout } = spawnSync('git', ['-C', folder, ...args], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

const added = git('log', '--diff-filter=A', '--format=%H', '--', hook)?.split('\n').at(-1) ?? '';
// Without a repository, as in an image, or in one whose history lacks the hook, there is nothing to check.
const log = added === '' ? '' : (git('log', '--no-merges', '--format=%h %s', `${added}..HEAD`) ?? '');
const long = log.split('\n').filter((line) => {
  const subject = line.slice(line.indexOf(' ') + 1);
  return Array.from(subject).length > subjectLengthMax;
});
for (const line of long) console.error(`The subject has more than ${subjectLengthMax} characters: ${line}`);
process.exit(long.length === 0 ? 0 : 1);
