/**
 * Runs the cases of a seed against any target, without a hub: `bun cli/reproduce.ts --seed …
 * --target …`. With the seed of a finished eval run, its size, its limit and its pack, these are the cases of that job, and
 * the same replies get the same scores.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createGuardedHttp } from '#runtime/guarded-http/guarded-request.ts';
import { unlimitedTurns } from '#runtime/turns/target-turns.ts';
import { createId } from '#runtime/create-id.ts';
import { StartError } from '#runtime/process/start-error.ts';
import { completedOutcome, planCases } from '#domain/runs/products/eval-run/plan-cases.ts';
import { plainTarget } from '#domain/runs/read-target.ts';
import { openChats } from '#workers/eval-runner/chats.ts';
import { runCases } from '#workers/eval-runner/run-cases.ts';
import { HeldReplies } from '#domain/runs/reply-in-hand.ts';
import { gradersInPlace } from '#domain/runs/grading/graders.ts';
import { describeCases } from '#domain/runs/products/eval-run/describe-cases.ts';
import { scorecardMarkdown } from '#evals/scorecard/markdown.ts';
import { scorecardDocument } from '#site/documents/scorecard.tsx';
import { evalRunScorecard, type ShownCase } from '#evals/suite/scorecard/model.ts';
import type { StoredCase } from '#evals/suite/stored-case.ts';
import type { ScoreJson } from '#evals/suite/scorecard/score-json-schema.ts';
import { categories, isSeed, newSeed, publicKinds } from '#evals/suite/index.ts';
import { loadPack } from '#evals/suite/packs/load-packs.ts';
import { type EvalPacks, identityOf, type Pack } from '#evals/suite/packs/pack.ts';
import { plainOrder } from '#domain/runs/products/eval-run.ts';
import { newRun } from '#domain/runs/redeem.ts';
import type { RunRow } from '#db/schema/run-tables.ts';

const help = `Runs the eval suite against a target from the command line.

  bun cli/reproduce.ts --target URL [--seed SEED] [--format md|json|html]

  --target URL     responds to POST {"prompt": "…"} with {"text": "…"}; any address is allowed
  --seed SEED      32 hexadecimal digits, as shown by a finished eval run; default: random
  --cases N        40 or 120, as the job had; default: 40
  --max-prompt N   8000, 32000 or 128000 tokens, as the job had; default: 32000
  --pack FOLDER    the files of the job's private pack; its hash must be the one that the job shows
  --format F       md, json or html; default: md
  --timeout MS     time limit of one call; default: 30000

Writes the scorecard to standard output and progress to standard error.
Exit codes: 0 the run completed, 1 it failed, 2 wrong arguments.
`;

const formats = ['md', 'json', 'html'] as const;
type Format = (typeof formats)[number];

interface Reproduction {
  readonly target: string;
  readonly seed: string;
  readonly runSize: 40 | 120;
  readonly maxPromptTokens: 8_000 | 32_000 | 128_000;
  /** A folder; null without a pack. */
  readonly pack: string | null;
  readonly format: Format;
  readonly timeoutMs: number;
}

const sizes = [40, 120] as const;
const limits = [8_000, 32_000, 128_000] as const;

function readArguments(): Reproduction | string | null {
  try {
    const { values } = parseArgs({
      options: {
        target: { type: 'string' },
        seed: { type: 'string' },
        cases: { type: 'string', default: '40' },
        'max-prompt': { type: 'string', default: '32000' },
        pack: { type: 'string' },
        format: { type: 'string', default: 'md' },
        timeout: { type: 'string', default: '30000' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help === true) return null;
    const { target, seed = newSeed(), timeout, pack = null } = values;
    const runSize = sizes.find((known) => String(known) === values.cases);
    const maxPromptTokens = limits.find((known) => String(known) === values['max-prompt']);
    const format = formats.find((known) => known === values.format);
    if (target === undefined || !URL.canParse(target))
      return '--target must be the URL of the agent to evaluate.';
    if (!isSeed(seed)) return '--seed must be 32 hexadecimal digits in lower case.';
    if (runSize === undefined) return `--cases must be one of ${sizes.join(', ')}.`;
    if (maxPromptTokens === undefined) return `--max-prompt must be one of ${limits.join(', ')}.`;
    if (format === undefined) return `--format must be one of ${formats.join(', ')}.`;
    if (!/^[1-9]\d{0,5}$/.test(timeout))
      return '--timeout must be a whole number of milliseconds, 1 to 999999.';
    return { target, seed, runSize, maxPromptTokens, pack, format, timeoutMs: Number(timeout) };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** @returns the exit code */
async function reproduce(order: Reproduction): Promise<number> {
  const { target, seed, format, timeoutMs } = order;
  const pack = order.pack === null ? null : await readPack(order.pack);
  // This runs on the user's own machine, so any address may be called.
  const http = createGuardedHttp({
    policy: createAddressPolicy(['0.0.0.0/0', '::/0', 'loopback']),
    limits: { answerTimeoutMs: timeoutMs },
  });
  const startedAt = new Date();
  const job = jobOf(order, pack, startedAt);
  const plan = planCases({ categories, pack }, job);
  let finished = 0;
  const runId = createId(startedAt);
  const ran = await runCases({
    chat: openChats(http),
    turns: unlimitedTurns,
    delayedMs: () => 0,
    recordCase: {
      ask: async () => {
        finished += 1;
        process.stderr.write(
          `${process.stderr.isTTY ? '\r' : ''}${finished}/${plan.total}${process.stderr.isTTY ? '' : '\n'}`,
        );
        return true;
      },
    },
    replies: new HeldReplies(1, () => Promise.resolve()),
    ending: new AbortController().signal,
    graders: gradersInPlace,
    runId,
    agentId: job.agentId,
    attempt: 1,
    target: { runId, url: target, settings: plainTarget, headers: {} },
    plan,
    recorded: [],
    stop: new AbortController().signal,
  });
  http.close();
  process.stderr.write('\n');
  if (ran.end !== 'all_done') {
    const why = ran.end === 'target_failed' ? ran.code : ran.end;
    process.stderr.write(`The run failed (${why}) after ${finished} of ${plan.total} cases. Seed: ${seed}\n`);
    return 1;
  }
  // The plan of an eval run makes these.
  const results = (ran.results as StoredCase[]).toSorted((a, b) => a.index - b.index);
  const outcome = completedOutcome({ run: job, pack, finishedAt: new Date() }, results);
  if (outcome.kind !== 'completed') throw new Error('A run with all results completes.');
  const cases = await describeCases({ rules: { evalPacks: showing(pack) } }, job, results);
  process.stdout.write(`${textOf(outcome.scoreJson, cases, format)}\n`);
  return 0;
}

async function readPack(folder: string): Promise<Pack> {
  const pack = await loadPack(resolve(folder), publicKinds, { retired: true });
  if (pack === null)
    throw new StartError(`--pack must be the folder of a pack; ${folder} has no such files.`);
  process.stderr.write(`Pack ${pack.name}, hash ${pack.hash}\n`);
  return pack;
}

/** Whoever has the files of a pack may see its prompts. */
function showing(pack: Pack | null): EvalPacks {
  return { installed: null, retired: pack === null ? [] : [pack] };
}

/** The eval run that a hub would have created. */
function jobOf(
  { target, seed, runSize, maxPromptTokens }: Reproduction,
  pack: Pack | null,
  createdAt: Date,
): RunRow {
  const id = createId(createdAt);
  const redemption = {
    id,
    agentId: id,
    product: 'eval-run' as const,
    targetUrl: target,
    cost: 0,
    free: true,
    createdAt,
  };
  const order = { ...plainOrder(target), runSize, maxPromptTokens, suitePack: identityOf(pack) };
  return { ...newRun(order, redemption), suiteSeed: seed };
}

function textOf(scoreJson: ScoreJson, cases: readonly ShownCase[], format: Format): string {
  switch (format) {
    case 'md':
      return scorecardMarkdown(evalRunScorecard(scoreJson, cases), 'full');
    case 'html':
      return scorecardDocument(evalRunScorecard(scoreJson, cases));
    case 'json':
      return JSON.stringify(scoreJson, null, 2);
  }
}

const given = readArguments();
if (given === null) {
  process.stdout.write(help);
} else if (typeof given === 'string') {
  process.stderr.write(`${given}\n\n${help}`);
  process.exitCode = 2;
} else {
  process.exitCode = await reproduce(given).catch((error: unknown) => {
    if (!(error instanceof StartError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 2;
  });
}
