/**
 * Runs the cases of a seed against any target, without a hub: `bun workers/eval-runner/reproduce.ts --seed …
 * --target …`. With the seed of a finished eval job, these are the cases of that job, and the same replies
 * get the same scores.
 */
import { parseArgs } from 'node:util';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createGuardedHttp } from '#runtime/guarded-http/guarded-request.ts';
import { createId } from '#runtime/create-id.ts';
import { runCases } from './run-cases.ts';
import {
  generateCases,
  isSeed,
  newSeed,
  renderScorecard,
  suiteName,
  suiteVersion,
} from '#domain/eval-suite/index.ts';

const help = `Runs the eval suite against a target from the command line.

  bun workers/eval-runner/reproduce.ts --target URL [--seed SEED] [--format md|json|html]

  --target URL   responds to POST {"prompt": "…"} with {"text": "…"}; any address is allowed
  --seed SEED    32 hexadecimal digits, as shown by a finished eval job; default: random
  --format F     md, json or html; default: md
  --timeout MS   time limit of one call; default: 30000

Writes the scorecard to standard output and progress to standard error.
Exit codes: 0 the run completed, 1 it failed, 2 wrong arguments.
`;

const formats = ['md', 'json', 'html'] as const;
type Format = (typeof formats)[number];

interface Reproduction {
  readonly target: string;
  readonly seed: string;
  readonly format: Format;
  readonly timeoutMs: number;
}

function readArguments(): Reproduction | string | null {
  try {
    const { values } = parseArgs({
      options: {
        target: { type: 'string' },
        seed: { type: 'string' },
        format: { type: 'string', default: 'md' },
        timeout: { type: 'string', default: '30000' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help === true) return null;
    const { target, seed = newSeed(), timeout } = values;
    const format = formats.find((known) => known === values.format);
    if (target === undefined || !URL.canParse(target))
      return '--target must be the URL of the agent to evaluate.';
    if (!isSeed(seed)) return '--seed must be 32 hexadecimal digits in lower case.';
    if (format === undefined) return `--format must be one of ${formats.join(', ')}.`;
    if (!/^[1-9]\d{0,5}$/.test(timeout))
      return '--timeout must be a whole number of milliseconds, 1 to 999999.';
    return { target, seed, format, timeoutMs: Number(timeout) };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** @returns the exit code */
async function reproduce({ target, seed, format, timeoutMs }: Reproduction): Promise<number> {
  // This runs on the user's own machine, so any address may be called.
  const http = createGuardedHttp({
    policy: createAddressPolicy(['0.0.0.0/0', '::/0', 'loopback']),
    limits: { answerTimeoutMs: timeoutMs },
  });
  const cases = generateCases(seed);
  const startedAt = new Date();
  let finished = 0;
  const ran = await runCases({
    http,
    takeSlot: async () => () => undefined,
    recordCase: {
      ask: async () => {
        finished += 1;
        process.stderr.write(
          `${process.stderr.isTTY ? '\r' : ''}${finished}/${cases.length}${process.stderr.isTTY ? '' : '\n'}`,
        );
        return true;
      },
    },
    ending: new AbortController().signal,
    evalJobId: createId(startedAt),
    attempt: 1,
    targetUrl: target,
    cases,
    recorded: [],
    stop: new AbortController().signal,
  });
  http.close();
  process.stderr.write('\n');
  if (ran.end !== 'all_done') {
    const why = ran.end === 'too_many_errors' ? ran.code : ran.end;
    process.stderr.write(
      `The run failed (${why}) after ${finished} of ${cases.length} cases. Seed: ${seed}\n`,
    );
    return 1;
  }
  const scorecard = renderScorecard({
    job_id: `reproduced from seed ${seed}`,
    suite: { name: suiteName, version: suiteVersion, seed },
    target_url: target,
    started_at: startedAt.toISOString(),
    finished_at: new Date().toISOString(),
    results: ran.results.toSorted((a, b) => a.index - b.index),
  });
  process.stdout.write(`${textOf(scorecard, format)}\n`);
  return 0;
}

function textOf(scorecard: ReturnType<typeof renderScorecard>, format: Format): string {
  switch (format) {
    case 'md':
      return scorecard.score_md;
    case 'html':
      return scorecard.score_html;
    case 'json':
      return JSON.stringify(scorecard.score_json, null, 2);
  }
}

const given = readArguments();
if (given === null) {
  process.stdout.write(help);
} else if (typeof given === 'string') {
  process.stderr.write(`${given}\n\n${help}`);
  process.exitCode = 2;
} else {
  process.exitCode = await reproduce(given);
}
