/**
 * Asks the registry, through `bun audit`, for known vulnerabilities of production packages. A registry that
 * is unreachable or has no advisories is reported but fails nothing, because it says nothing about the
 * packages.
 */
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { AcceptedAdvisory } from './accepted-advisories.ts';

export type AuditResult =
  /** `why` completes the sentence "the registry …". */
  | { readonly kind: 'unanswered'; readonly why: string }
  | { readonly kind: 'answered'; readonly faults: readonly string[]; readonly remarks: readonly string[] };

export interface AuditOptions {
  /** Contains package.json and bun.lock. */
  readonly folder: string;
  readonly accepted: readonly AcceptedAdvisory[];
  /** As `2026-12-31`. */
  readonly today: string;
  /** The environment of `bun audit`, which includes the address of the registry. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const timeoutMs = 30_000;
const failing = ['high', 'critical'];
/**
 * Output of `bun audit` when it got no advisories: an HTTP status, a broken connection, or a response that is
 * not JSON.
 */
const unansweredStatuses = /^error: POST \S+ - (\w+)$|returned a non-JSON audit response/m;

const report = Compile(
  Type.Record(
    Type.String(),
    Type.Array(Type.Object({ url: Type.String(), title: Type.String(), severity: Type.String() })),
  ),
);

/** @throws Error when `bun audit` fails for any reason other than a registry that does not respond */
export function auditPackages({ folder, accepted, today, environment }: AuditOptions): AuditResult {
  const { stdout, stderr, exitCode, exitedDueToTimeout } = Bun.spawnSync(
    [process.execPath, 'audit', '--json', '--production'],
    { cwd: folder, env: environment, stdin: 'ignore', timeout: timeoutMs },
  );
  if (exitedDueToTimeout === true)
    return { kind: 'unanswered', why: `did not respond for ${timeoutMs / 1000} s` };
  const complaint = stderr.toString();
  const unanswered = unansweredStatuses.exec(complaint);
  if (unanswered !== null) return { kind: 'unanswered', why: `gave ${unanswered[1] ?? 'no JSON'}` };
  const text = stdout.toString().trim();
  // The exit code is also 1 when there are vulnerabilities.
  if (!text.startsWith('{')) throw new Error(`\`bun audit\` exited with ${exitCode}: ${complaint.trim()}`);
  return judge(report.Parse(JSON.parse(text)), accepted, today);
}

type Report = ReturnType<typeof report.Parse>;

function judge(found: Report, accepted: readonly AcceptedAdvisory[], today: string): AuditResult {
  const advisories = Object.entries(found).flatMap(([name, list]) =>
    list.map(({ url, title, severity }) => ({
      id: url.slice(url.lastIndexOf('/') + 1),
      severity,
      line: `${name}: ${severity}: ${title} (${url})`,
    })),
  );
  const faults: string[] = [];
  const remarks: string[] = [];
  for (const { id, severity, line } of advisories) {
    const known = accepted.find((advisory) => advisory.id === id);
    if (!failing.includes(severity)) remarks.push(line);
    else if (known === undefined) faults.push(line);
    else if (known.until < today) faults.push(`${line}, accepted only until ${known.until}`);
    else remarks.push(`${line}, accepted until ${known.until}: ${known.reason}`);
  }
  const ids = new Set(advisories.map(({ id }) => id));
  const idle = accepted.filter(({ id }) => !ids.has(id));
  return {
    kind: 'answered',
    faults: [
      ...faults,
      ...idle.map(({ id }) => `${id} is accepted, but no package has it any more: remove it`),
    ],
    remarks,
  };
}
