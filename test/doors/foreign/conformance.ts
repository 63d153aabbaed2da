/** Runs the whole conformance suite of MCP against a hub, and finds unexpected failures. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installed, programOf, run } from './packages.ts';

interface ExpectedFailure {
  readonly reason: string;
  /** All scenarios by default. */
  readonly scenario?: RegExp;
  readonly message: RegExp;
}

const expectedFailures: readonly ExpectedFailure[] = [
  {
    reason: 'Only a server made for the suite has its tools, prompts and resources.',
    message:
      /no (?:tool|prompt) named test_|Tool 'json_schema_2020_12_tool' not found|There is no such resource\. They are:|^Not testable: server (?:exposes no tool|does not list the diagnostic tool)/,
  },
  {
    reason: 'Their first step calls such a tool.',
    scenario: /^input-required-result-(?:multi-round|tampered-state)$/,
    message: /^Expected InputRequiredResult|^Prerequisite failed: could not get initial/,
  },
  {
    reason: 'The hub offers no completion, logging or subscriptions, and does not claim to.',
    scenario:
      /^(?:completion-complete|logging-set-level|tools-call-with-logging|resources-(?:un)?subscribe)$/,
    message: /Method not found$/,
  },
];

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

export interface ConformanceReport {
  /** Scenarios without a failed check. */
  readonly passed: readonly string[];
  /** Failed checks without an expected reason. */
  readonly unexpected: readonly string[];
}

/** @param folder scratch space for the results */
export async function runConformance(
  url: string,
  version: string,
  folder: string,
): Promise<ConformanceReport> {
  const conformance = programOf(
    await installed('@modelcontextprotocol/conformance', '0.2.0-alpha.12'),
    'conformance',
  );
  const results = join(folder, version);
  const options = ['--suite', 'all', '--spec-version', version, '--output-dir', results];
  // It needs a newer Node than 20, and its authors run it under Bun too.
  await run([process.execPath, conformance, 'server', '--url', url, ...options], folder);
  const passed: string[] = [];
  const unexpected: string[] = [];
  for (const name of await readdir(results)) {
    const [, scenario = name] = /^server-(.*)-\d{4}-\d\d-\d\dT.*$/.exec(name) ?? [];
    const checks = JSON.parse(await readFile(join(results, name, 'checks.json'), 'utf8')) as Check[];
    const failed = checks.filter(({ status }) => status === 'FAILURE');
    if (failed.length === 0) passed.push(scenario);
    for (const { id, errorMessage = '' } of failed) {
      if (!isExpected(scenario, errorMessage)) unexpected.push(`${scenario} ${id}: ${errorMessage}`);
    }
  }
  return { passed, unexpected };
}

function isExpected(scenario: string, failure: string): boolean {
  return expectedFailures.some((one) => one.scenario?.test(scenario) !== false && one.message.test(failure));
}
