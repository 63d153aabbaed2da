/** The flags of `evaluate` and the rules for their values. */

/** A flag or a value that cannot be used. The message names the flag, the rule and the way out. */
export class UsageFault extends Error {
  override readonly name = 'UsageFault';
}

export type Environment = Readonly<Record<string, string | undefined>>;

export type Product = 'eval-run' | 'agent-run' | 'suite-run';

export interface Target {
  readonly url: string;
  readonly protocol?: string;
  readonly model?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly concurrency: number;
  readonly timeout_s?: number;
}

export interface Options {
  readonly product: Product;
  /** For `suite-run`: one of the two. */
  readonly suite: string | null;
  readonly suiteFile: string | null;
  readonly trials: number | null;
  /** Which cases, as the hub reads it. */
  readonly only: string | null;
  readonly limit: number | null;
  readonly label: string | null;
  /** The open run to take up: `latest`, or its id. Null: a new run. */
  readonly resume: string | null;
  /** Null if the hub calls `target`. */
  readonly program: { readonly command: string; readonly serve: boolean } | null;
  readonly target: Target | null;
  readonly concurrency: number;
  /** Null for what the suite says, or 60. */
  readonly timeoutSeconds: number | null;
  readonly minPass: number | null;
  readonly minScore: number | null;
  /** `latest`, `branch:NAME` or the id of a run. */
  readonly baseline: string | null;
  readonly failOn: 'broken' | 'worse' | null;
  readonly minCompared: number | null;
  readonly junit: string | null;
  readonly markdown: string | null;
  readonly json: boolean;
  readonly hub: string | null;
  readonly key: string | null;
  readonly handle: string | null;
}

export const usage = `Usage: evaluate (--suite @OWNER/NAME | --suite-file FILE | --product eval-run|agent-run)
                (--cmd COMMAND [--serve] | --target URL) [options]

Runs your agent on a suite of cases or on the hub's own evaluation, and sets the exit code.

What to run:
  --suite @OWNER/NAME   a published suite
  --suite-file FILE     a suite as YAML, JSON or JSONL: checked, published if it has changed, and run
  --product NAME        eval-run or agent-run, the hub's own evaluations
  --trials N            replies to each case, 1 to 8
  --only CASES          some cases of a suite: failed or errors in --baseline (default: the latest run), ID,ID,
                        tag:NAME, or /PATTERN/ for their ids
  --limit N             at most N cases of a suite, the first ones
  --label TEXT          name of the run, such as the branch; at most 64 characters
  --resume [RUN]        go on with an open run whose client has ended: its id, or the newest of the same suite and
                        label; without one, a new run starts. With this flag, an interrupted run stays open.

Your agent:
  --cmd COMMAND         started by \`sh -c\` for each case: the prompt on stdin, the reply on stdout
  --serve               start the command once: a JSON line for each case on stdin, and for each reply on stdout
  --target URL          an agent that the hub can reach, called by the hub
  --protocol NAME       of the target: hub, openai-chat, openai-responses, anthropic-messages or a2a (default: detected)
  --model NAME          sent to the target
  --header 'NAME: TEXT' sent to the target; up to 5 times. Other users of the machine can see it, so put secrets in
                        TARGET_HEADERS, one NAME: TEXT on each line
  --concurrency N       cases at the same time, 1 to 64, with --target 1 to 8 (default: 4)
  --timeout SECONDS     time for a reply, 1 to 600, with --target 10 to 600 (default: as the suite says, or 60)

When to fail:
  --min-pass SHARE      lowest pass rate, 0 to 1
  --min-score SCORE     lowest score, 0 to 100
  --baseline RUN        compare with a run: its id, latest, or branch:LABEL for the newest with that label
  --fail-on WHAT        broken: a case that passed in the baseline fails; worse: the run is clearly worse
  --min-compared SHARE  lowest share of cases that --fail-on can compare, 0 to 1 (default: 0.5)

Reports:
  --junit FILE          write JUnit XML
  --markdown FILE       write a summary for a pull request; it is also added to $GITHUB_STEP_SUMMARY
  --json                print the result as JSON

The hub:
  --hub URL             address of the hub (default: HUB_URL)
  --key FILE            key of the agent, to log in with instead of HUB_TOKEN
  --handle NAME         handle of the agent, if FILE does not name it; if there is no FILE, a new agent is signed up

Exit codes: 0 all bars held, 1 a bar fell short, 2 the run was not possible, 3 wrong flags.
`;

const switches = ['serve', 'json'] as const;
const valued = [
  'suite',
  'suite-file',
  'product',
  'trials',
  'only',
  'limit',
  'label',
  'resume',
  'cmd',
  'target',
  'protocol',
  'model',
  'header',
  'concurrency',
  'timeout',
  'min-pass',
  'min-score',
  'baseline',
  'fail-on',
  'min-compared',
  'junit',
  'markdown',
  'hub',
  'key',
  'handle',
] as const;
type Name = (typeof valued)[number];

const protocols = ['hub', 'openai-chat', 'openai-responses', 'anthropic-messages', 'a2a'];
const headersMax = 5;
const headersVariable = 'TARGET_HEADERS';
const labelMax = 64;

/** @throws UsageFault */
export function parseOptions(words: readonly string[], environment: Environment): Options {
  const { given, headers, on } = readWords(words);
  const suite = given.get('suite') ?? null;
  const suiteFile = given.get('suite-file') ?? null;
  const named = given.get('product');
  requireOne(given, ['suite', 'suite-file', 'product'], 'to say what to run');
  requireOne(given, ['cmd', 'target'], 'to say what your agent is');
  if (suite !== null && !/^@[a-z0-9-]{3,24}\/[a-z0-9-]{3,64}$/.test(suite)) {
    throw new UsageFault(`--suite must be @OWNER/NAME, such as @ada/refund-desk, but is ${quote(suite)}.`);
  }
  const product = named === undefined ? 'suite-run' : oneOf('product', named, ['eval-run', 'agent-run']);
  for (const name of ['only', 'limit'] as const) {
    if (product !== 'suite-run' && given.has(name))
      throw new UsageFault(
        `--${name} chooses cases of a suite, and an ${product} asks all of its own. Omit it.`,
      );
  }
  const command = given.get('cmd');
  const serve = on.has('serve');
  if (serve && command === undefined)
    throw new UsageFault('--serve needs --cmd. Add --cmd, or omit --serve.');
  if (product === 'agent-run' && command !== undefined && !serve) {
    throw new UsageFault(
      '--cmd answers one prompt, but --product agent-run needs an agent that calls tools. Add --serve, or use --target.',
    );
  }
  const baseline = given.get('baseline') ?? null;
  if (baseline !== null) checkBaseline(baseline);
  const failOn = optional(given, 'fail-on', (text) => oneOf('fail-on', text, ['broken', 'worse']));
  if (failOn !== null && baseline === null) {
    throw new UsageFault(`--fail-on ${failOn} needs a run to compare with. Add --baseline latest.`);
  }
  if (failOn === null && given.has('min-compared'))
    throw new UsageFault('--min-compared needs --fail-on. Add --fail-on broken, or omit it.');
  const concurrencyMax = command === undefined ? 8 : 64;
  const timeoutMin = command === undefined ? 10 : 1;
  const concurrency =
    optional(given, 'concurrency', (text) => whole('concurrency', text, 1, concurrencyMax)) ?? 4;
  const timeout = optional(given, 'timeout', (text) => whole('timeout', text, timeoutMin, 600));
  return {
    product,
    suite,
    suiteFile,
    trials: optional(given, 'trials', (text) => whole('trials', text, 1, 8)),
    only: given.get('only') ?? null,
    limit: optional(given, 'limit', (text) => whole('limit', text, 1, 2_000)),
    label: optional(given, 'label', checkLabel),
    resume: optional(given, 'resume', checkResume),
    program: command === undefined ? null : { command, serve },
    target: readTarget(given, headers, environment, concurrency, timeout),
    concurrency,
    timeoutSeconds: timeout,
    minPass: optional(given, 'min-pass', (text) => decimal('min-pass', text, 1, '0.9')),
    minScore: optional(given, 'min-score', (text) => decimal('min-score', text, 100, '70')),
    baseline,
    failOn,
    minCompared: optional(given, 'min-compared', (text) => decimal('min-compared', text, 1, '0.5')),
    junit: given.get('junit') ?? null,
    markdown: given.get('markdown') ?? null,
    json: on.has('json'),
    hub: optional(given, 'hub', (text) => address('hub', text)),
    key: given.get('key') ?? null,
    handle: given.get('handle') ?? null,
  };
}

function readWords(words: readonly string[]) {
  const given = new Map<Name, string>();
  const headers: string[] = [];
  const on = new Set<string>();
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const [flag = '', ...rest] = word.split('=');
    const name = flag.slice(2);
    if (!flag.startsWith('--') || (!isSwitch(name) && !isValued(name))) {
      throw new UsageFault(`There is no flag ${quote(flag)}. \`evaluate --help\` lists the flags.`);
    }
    if (isSwitch(name)) {
      if (rest.length > 0) throw new UsageFault(`--${name} takes no value. Write --${name}.`);
      on.add(name);
      continue;
    }
    let value = rest.join('=');
    if (name === 'resume' && rest.length === 0 && (words[index + 1] ?? '--').startsWith('--')) {
      value = 'latest';
    } else if (rest.length === 0) {
      index += 1;
      value = words[index] ?? '';
    }
    if (value === '') throw new UsageFault(`--${name} needs a value. Write --${name} VALUE.`);
    if (name === 'header') headers.push(value);
    else if (given.has(name)) throw new UsageFault(`--${name} is given twice. Give it once.`);
    else given.set(name, value);
  }
  return { given, headers, on };
}

const isSwitch = (name: string): name is (typeof switches)[number] =>
  (switches as readonly string[]).includes(name);
const isValued = (name: string): name is Name => (valued as readonly string[]).includes(name);

function readTarget(
  given: ReadonlyMap<Name, string>,
  headers: readonly string[],
  environment: Environment,
  concurrency: number,
  timeout: number | null,
): Target | null {
  const target = given.get('target');
  const model = given.get('model');
  if (target === undefined) {
    const needing = (['protocol', 'model'] as const).find((name) => given.has(name));
    const name = needing ?? (headers.length > 0 ? 'header' : undefined);
    if (name !== undefined)
      throw new UsageFault(`--${name} needs --target. Use --target instead of --cmd, or omit it.`);
    return null;
  }
  const protocol = optional(given, 'protocol', (text) => oneOf('protocol', text, protocols));
  const secret = (environment[headersVariable] ?? '').split('\n').filter((line) => line.trim() !== '');
  const count = headers.length + secret.length;
  if (count > headersMax) {
    throw new UsageFault(
      `A target takes ${headersMax} headers, but --header and ${headersVariable} give ${count}. Omit some.`,
    );
  }
  const all = [
    ...headers.map((text) => readHeader(text, '--header must be')),
    ...secret.map((text) => readHeader(text.trim(), `Each line of ${headersVariable} must be`)),
  ];
  return {
    url: address('target', target),
    ...(protocol === null ? {} : { protocol }),
    ...(model === undefined ? {} : { model }),
    ...(count === 0 ? {} : { headers: Object.fromEntries(all) }),
    concurrency,
    ...(timeout === null ? {} : { timeout_s: timeout }),
  };
}

/** The value is a secret, so it is not repeated. */
function readHeader(text: string, rule: string): [name: string, value: string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(\S.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new UsageFault(`${rule} a name and a value, such as 'authorization: Bearer …'.`);
  }
  return [name, value];
}

function requireOne(given: ReadonlyMap<Name, string>, names: readonly Name[], purpose: string): void {
  const found = names.filter((name) => given.has(name));
  if (found.length === 1) return;
  const flags = names.map((name) => `--${name}`).join(', ');
  const fault = found.length === 0 ? 'None' : found.map((name) => `--${name}`).join(' and ');
  throw new UsageFault(`Give exactly one of ${flags} ${purpose}. Found: ${fault}.`);
}

function checkBaseline(text: string): void {
  if (text === 'latest' || runId.test(text)) return;
  if (text.startsWith('branch:'))
    return void checkLabel(text.slice('branch:'.length), 'baseline branch:NAME');
  throw new UsageFault(`--baseline must be latest, branch:NAME or the id of a run, but is ${quote(text)}.`);
}

function checkResume(text: string): string {
  if (text === 'latest' || runId.test(text)) return text;
  throw new UsageFault(
    `--resume must be the id of a run, but is ${quote(text)}. Without a value, it takes the newest one.`,
  );
}

const runId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function checkLabel(text: string, flag = 'label'): string {
  const length = Array.from(text).length;
  if (length >= 1 && length <= labelMax && /^[^\p{Cc}\p{Cf}\p{Cs}]+$/u.test(text) && text.trim() !== '')
    return text;
  throw new UsageFault(`--${flag} must have 1 to ${labelMax} characters on one line. Shorten it.`);
}

function optional<Value>(
  given: ReadonlyMap<Name, string>,
  name: Name,
  read: (text: string) => Value,
): Value | null {
  const text = given.get(name);
  return text === undefined ? null : read(text);
}

function oneOf<const Value extends string>(name: Name, text: string, values: readonly Value[]): Value {
  const found = values.find((value) => value === text);
  if (found !== undefined) return found;
  throw new UsageFault(`--${name} must be one of ${values.join(', ')}, but is ${quote(text)}.`);
}

function whole(name: Name, text: string, least: number, most: number): number {
  const number = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new UsageFault(`--${name} must be a whole number from ${least} to ${most}, but is ${quote(text)}.`);
}

function decimal(name: Name, text: string, most: number, example: string): number {
  const number = /^\d{1,3}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  if (number <= most) return number;
  throw new UsageFault(
    `--${name} must be a number from 0 to ${most}, such as ${example}, but is ${quote(text)}.`,
  );
}

function address(name: Name, text: string): string {
  if (/^https?:\/\/[^\s/]+/.test(text) && URL.canParse(text)) return text;
  throw new UsageFault(`--${name} must be an http or https URL, but is ${quote(text)}.`);
}

const quoteMax = 60;

function quote(text: string): string {
  const characters = Array.from(text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '?'));
  return characters.length <= quoteMax
    ? `\`${characters.join('')}\``
    : `\`${characters.slice(0, quoteMax).join('')}…\``;
}
