/**
 * Asks the registry, through Bun's own client, which holes are known in the packages that run in production. A registry
 * that gives no such answers, or cannot be reached, is told of and fails nothing: it says nothing about the packages.
 */
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { AcceptedAdvisory } from './accepted-advisories.ts';

export type AuditResult =
  /** `why` completes "… as the registry …". */
  | { readonly kind: 'unanswered'; readonly why: string }
  | { readonly kind: 'answered'; readonly faults: readonly string[]; readonly remarks: readonly string[] };

export interface AuditOptions {
  /** Has package.json and bun.lock. */
  readonly folder: string;
  readonly accepted: readonly AcceptedAdvisory[];
  /** As `2026-12-31`. */
  readonly today: string;
  /** For the client; where it looks for the registry, among others. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const timeoutMs = 30_000;
const failing = ['high', 'critical'];
/** What the client says when it was given no advisories: an HTTP status, a broken connection, or another kind of answer. */
const unansweredStatuses = /^error: POST \S+ - (\w+)$|returned a non-JSON audit response/m;

const report = Compile(
  Type.Record(
    Type.String(),
    Type.Array(Type.Object({ url: Type.String(), title: Type.String(), severity: Type.String() })),
  ),
);

/** @throws Error when the client fails in another way than by not being answered */
export function auditPackages({ folder, accepted, today, environment }: AuditOptions): AuditResult {
  const { stdout, stderr, exitCode, exitedDueToTimeout } = Bun.spawnSync(
    [process.execPath, 'audit', '--json', '--production'],
    { cwd: folder, env: environment, stdin: 'ignore', timeout: timeoutMs },
  );
  if (exitedDueToTimeout === true) return { kind: 'unanswered', why: `was silent for ${timeoutMs / 1000} s` };
  const complaint = stderr.toString();
  const unanswered = unansweredStatuses.exec(complaint);
  if (unanswered !== null) return { kind: 'unanswered', why: `gave ${unanswered[1] ?? 'no JSON'}` };
  const text = stdout.toString().trim();
  // Ends with 1 where it has found something, too.
  if (!text.startsWith('{')) throw new Error(`\`bun audit\` ended with ${exitCode}: ${complaint.trim()}`);
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
    else if (known.until < today) faults.push(`${line}, which was accepted until ${known.until} only`);
    else remarks.push(`${line}, accepted until ${known.until}: ${known.reason}`);
  }
  const ids = new Set(advisories.map(({ id }) => id));
  const idle = accepted.filter(({ id }) => !ids.has(id));
  return {
    kind: 'answered',
    faults: [
      ...faults,
      ...idle.map(({ id }) => `${id} is accepted, and nothing has it any more: take it out`),
    ],
    remarks,
  };
}
