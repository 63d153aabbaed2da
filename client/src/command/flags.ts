/**
 * The flags of `evaluate`, declared once. Both languages read them from here: `cli/client-types.ts` writes the table of
 * the Python package. Every field of a redemption is a flag.
 */
import { redemptionFields } from '../api-types.ts';

/** What a flag takes. `shows` stands for its value in the help. */
export type FlagKind =
  | { readonly kind: 'switch' }
  /** Any text. `bare`: what the flag means without one. */
  | { readonly kind: 'text'; readonly shows?: string; readonly bare?: string }
  /** One line. */
  | { readonly kind: 'line'; readonly shows?: string; readonly most: number }
  | {
      readonly kind: 'whole';
      readonly shows?: string;
      readonly least: number;
      readonly most: number;
      /** The bounds with `--target`. */
      readonly target?: readonly [least: number, most: number];
    }
  | { readonly kind: 'decimal'; readonly shows?: string; readonly most: number; readonly example: string }
  | {
      readonly kind: 'choice';
      readonly shows?: string;
      readonly values: readonly (string | number)[];
    }
  | {
      readonly kind: 'pattern';
      readonly shows?: string;
      /** The same in both languages. */
      readonly pattern: string;
      readonly rule: string;
      readonly bare?: string;
    }
  /** Given several times. */
  | { readonly kind: 'list'; readonly shows?: string }
  /** Any number of values, up to the next flag. */
  | { readonly kind: 'paths'; readonly shows?: string };

export type Flag = FlagKind & {
  readonly about: string;
  /** Requires one of these flags. */
  readonly needs?: readonly string[];
  readonly excludes?: readonly string[];
};

const url = { kind: 'pattern', pattern: '^https?://[^\\s/]+\\S*$', rule: 'be an http or https URL' } as const;
const runId = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const earlierRun = {
  kind: 'pattern',
  shows: 'RUN',
  pattern: `^(?:${runId}|latest|branch:[^\\n\\r]{1,64})$`,
  rule: 'be latest, branch:LABEL or the id of a run',
} as const;

const ofImport = { needs: ['import'] } as const;
const ofTarget = { needs: ['target'] } as const;
/** `--matrix` starts several runs. */
const ofOneRun = { excludes: ['matrix'] } as const;

const what = {
  suite: {
    kind: 'pattern',
    shows: '@OWNER/NAME',
    pattern: '^@[a-z0-9-]{3,24}/[a-z0-9-]{3,64}$',
    rule: 'be @OWNER/NAME, such as @ada/refund-desk',
    about: 'a published suite',
  },
  'suite-file': {
    kind: 'text',
    shows: 'FILE',
    about: 'a suite as YAML, JSON or JSONL: checked, published if it has changed, and run',
  },
  import: {
    kind: 'text',
    shows: 'FILE',
    about:
      'a file of another tool, such as promptfooconfig.yaml, with the files that it names: converted to a suite, published if it has changed, and run',
  },
  from: {
    ...ofImport,
    kind: 'choice',
    shows: 'FORMAT',
    values: ['promptfoo', 'inspect', 'openai-evals', 'csv'],
    about: 'of --import: promptfoo, inspect, openai-evals or csv (default: by its ending)',
  },
  name: {
    ...ofImport,
    kind: 'pattern',
    shows: 'NAME',
    pattern: '^[a-z0-9-]{3,64}$',
    rule: 'have 3 to 64 of a-z, 0-9 and -',
    about: 'of --import: name of the suite (default: of the file, or of its folder for promptfooconfig.yaml)',
  },
  grading: {
    ...ofImport,
    kind: 'line',
    shows: 'NAME',
    most: 64,
    about: 'of --import: a scorer of Inspect or a template of OpenAI Evals',
  },
  map: {
    ...ofImport,
    kind: 'line',
    shows: 'PAIRS',
    most: 400,
    about: 'of --import: names of its columns or fields, such as prompt=question,expected=answer',
  },
  'keep-ungraded': {
    ...ofImport,
    kind: 'switch',
    about: 'of --import: keep cases without any grader left; any reply passes them',
  },
  strict: {
    ...ofImport,
    kind: 'switch',
    about: 'of --import: run nothing if anything has no counterpart, or a case is left out',
  },
  product: {
    kind: 'choice',
    shows: 'NAME',
    values: ['eval-run', 'agent-run'],
    about: "eval-run or agent-run, the hub's own evaluations",
  },
  ...redemptionFields,
  // A file is the version that it was published as.
  version: { ...redemptionFields.version, excludes: ['suite-file', 'import'] },
  only: {
    ...redemptionFields.only,
    shows: 'CASES',
    about:
      'some cases of a suite: failed or errors in --baseline (default: the latest run), ID,ID, tag:NAME, or /PATTERN/ for their ids, and titles if you may read the cases',
  },
  label: {
    ...redemptionFields.label,
    ...ofOneRun,
    about: 'name of the run, such as the branch; at most 64 characters',
  },
  'compare-label': {
    needs: ['label'],
    excludes: ['product', 'json', 'matrix'],
    kind: 'text',
    shows: 'LABEL,LABEL',
    about:
      'end with a table of the cases by label, regressions since the first label first: the newest runs with these labels beside this one',
  },
  watch: {
    ...ofOneRun,
    kind: 'paths',
    shows: '[PATH…]',
    about:
      'run again when the suite file, a file that it names, or one of these files or folders changes, and report what changed since the last run; press Ctrl-C to stop',
  },
  resume: {
    ...ofOneRun,
    kind: 'pattern',
    shows: '[RUN]',
    pattern: `^(?:${runId}|latest)$`,
    rule: 'be the id of a run. Without a value, it takes the newest one',
    bare: 'latest',
    about:
      'continue an open run whose client has ended: the one with this id, or the newest run of all cases with the same version, label and trials. If there is none, or another client answers it, a new run starts. With this flag, an interrupted run stays open.',
  },
  matrix: {
    kind: 'text',
    shows: 'FILE',
    about:
      'run once for each label of a YAML file with flags of its own, such as cmd or model, and end with a table of the cases by label; the others are compared with the first',
  },
  regrade: {
    ...earlierRun,
    about:
      'ask nothing: grade the stored replies of a run (id, latest, or branch:LABEL) by this version of the suite',
  },
} as const;

const agent = {
  cmd: {
    kind: 'text',
    shows: 'COMMAND',
    about: 'started by `sh -c` for each case: the prompt on stdin, the reply on stdout',
  },
  serve: {
    needs: ['cmd'],
    kind: 'switch',
    about: 'start the command once: a JSON line for each case on stdin, and for each reply on stdout',
  },
  target: { ...url, shows: 'URL', about: 'an agent that the hub can reach, called by the hub' },
  protocol: {
    ...ofTarget,
    kind: 'choice',
    shows: 'NAME',
    values: ['hub', 'openai-chat', 'openai-responses', 'anthropic-messages', 'a2a'],
    about: 'of the target: hub, openai-chat, openai-responses, anthropic-messages or a2a (default: detected)',
  },
  model: { ...ofTarget, kind: 'text', shows: 'NAME', about: 'sent to the target' },
  header: {
    ...ofTarget,
    kind: 'list',
    shows: "'NAME: TEXT'",
    about:
      'sent to the target; up to 5 times. Other users of the machine can see it, so put secrets in TARGET_HEADERS, one NAME: TEXT on each line',
  },
  cache: {
    needs: ['cmd'],
    excludes: ['ranked'],
    kind: 'text',
    shows: 'FOLDER',
    about:
      'reuse replies of --cmd kept in the folder for the same label, command and input, and add new ones; not for ranked runs',
  },
  concurrency: {
    kind: 'whole',
    least: 1,
    most: 64,
    target: [1, 8],
    about: 'cases at the same time, 1 to 64, with --target 1 to 8 (default: 4)',
  },
  timeout: {
    kind: 'whole',
    shows: 'SECONDS',
    least: 1,
    most: 600,
    target: [10, 600],
    about: 'time for a reply, 1 to 600, with --target 10 to 600 (default: as the suite says, or 60)',
  },
} as const;

const judges = {
  'judge-target': {
    ...url,
    needs: ['judge-model'],
    excludes: ['judge-cmd'],
    shows: 'URL',
    about:
      'a model for judges with a `rubric`, called by this command: its address, such as https://api.openai.com/v1. Put its key in JUDGE_HEADERS, one NAME: TEXT on each line',
  },
  'judge-protocol': {
    needs: ['judge-target'],
    kind: 'choice',
    shows: 'NAME',
    values: ['openai-chat', 'openai-responses', 'anthropic-messages'],
    about: 'of the model: openai-chat (default), openai-responses or anthropic-messages',
  },
  'judge-model': {
    needs: ['judge-target', 'judge-cmd'],
    kind: 'line',
    shows: 'NAME',
    most: 200,
    about: 'its name, which reports show',
  },
  'judge-cmd': {
    kind: 'text',
    shows: 'COMMAND',
    about:
      'instead of --judge-target: started by `sh -c` for each vote: the prompt on stdin, the verdict on stdout',
  },
} as const;

const bars = {
  'min-pass': {
    kind: 'decimal',
    shows: 'SHARE',
    most: 1,
    example: '0.9',
    about: 'lowest pass rate, 0 to 1',
  },
  'min-score': {
    kind: 'decimal',
    shows: 'SCORE',
    most: 100,
    example: '70',
    about: 'lowest score, 0 to 100',
  },
  baseline: {
    ...earlierRun,
    about: 'compare with a run: its id, latest, or branch:LABEL for the newest with that label',
  },
  'fail-on': {
    needs: ['baseline'],
    kind: 'choice',
    shows: 'WHAT',
    values: ['broken', 'worse'],
    about: 'broken: a case that passed in the baseline fails; worse: the run is clearly worse',
  },
  'min-compared': {
    needs: ['fail-on'],
    kind: 'decimal',
    shows: 'SHARE',
    most: 1,
    example: '0.5',
    about: 'lowest share of cases that --fail-on can compare, 0 to 1 (default: 0.5)',
  },
} as const;

const reports = {
  junit: { ...ofOneRun, kind: 'text', shows: 'FILE', about: 'write JUnit XML' },
  markdown: {
    ...ofOneRun,
    kind: 'text',
    shows: 'FILE',
    about: 'write a summary for a pull request; it is also added to $GITHUB_STEP_SUMMARY',
  },
  trace: {
    ...ofOneRun,
    kind: 'text',
    shows: 'FILE|URL',
    about:
      'write the conversations as spans of OpenTelemetry: to a file, with one OTLP/JSON export on each line, or to an OTLP/HTTP endpoint. Put its headers in TRACE_HEADERS, one NAME: TEXT on each line',
  },
  json: { kind: 'switch', about: 'print the result as JSON' },
} as const;

const hub = {
  hub: { ...url, shows: 'URL', about: 'address of the hub (default: HUB_URL)' },
  key: { kind: 'text', shows: 'FILE', about: 'key of the agent, to log in with instead of HUB_TOKEN' },
  handle: {
    kind: 'text',
    shows: 'NAME',
    about: 'handle of the agent, if FILE does not name it; if there is no FILE, a new agent is signed up',
  },
} as const;

export const flags = { ...what, ...agent, ...judges, ...bars, ...reports, ...hub } as const;
export type FlagName = keyof typeof flags;
flags satisfies Readonly<Record<FlagName, Flag>>;

const column = 24;
const width = 120;

function wrapped(about: string): string {
  const lines = [''];
  for (const word of about.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && column + line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join(`\n${' '.repeat(column)}`);
}

function shownValue(flag: Flag): string {
  if (flag.kind === 'choice') return flag.values.join('|');
  return flag.kind === 'line' ? 'TEXT' : 'N';
}

function helpOf(section: Readonly<Record<string, Flag>>): string {
  return Object.entries(section)
    .map(([name, flag]) => {
      const shows = flag.kind === 'switch' ? '' : (flag.shows ?? shownValue(flag));
      const head = `  --${name} ${shows}`.trimEnd();
      const gap = head.length < column ? ' '.repeat(column - head.length) : `\n${' '.repeat(column)}`;
      return `${head}${gap}${wrapped(flag.about)}`;
    })
    .join('\n');
}

export const usage = `Usage: evaluate (--suite @OWNER/NAME | --suite-file FILE | --import FILE | --product eval-run|agent-run)
                (--cmd COMMAND [--serve] | --target URL | --regrade RUN | --matrix FILE) [options]

Runs your agent on a suite of cases or on the hub's own evaluation, and sets the exit code.

What to run:
${helpOf(what)}

Your agent:
${helpOf(agent)}

Judges of the suite (those with a \`command\` are run only if --suite-file has the command):
${helpOf(judges)}

When to fail:
${helpOf(bars)}

Reports:
${helpOf(reports)}

The hub:
${helpOf(hub)}

Exit codes: 0 all bars held, 1 a bar fell short, 2 the run was not possible, 3 wrong flags.
`;
