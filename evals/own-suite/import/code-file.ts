/** Files of assertions that are code, for judges with a `command`. */
import { type Fields, writeExactJson } from '../exact-json.ts';
import { trimmed } from '../text-forms.ts';

export const codeKinds = {
  javascript: { command: 'node', needs: 'Node 18 or later', ending: 'cjs' },
  python: { command: 'python3', needs: 'Python 3.9 or later', ending: 'py' },
} as const;
export type CodeKind = keyof typeof codeKinds;

/** The code of a promptfoo assertion: an expression, several lines that return, or a file. */
export interface JudgeCode {
  readonly kind: CodeKind;
  readonly source: string;
  /** What it sees of its test: `vars` and `config`. */
  readonly context: Fields;
  /** The least score that passes; null for any above 0. */
  readonly threshold: number | null;
  /** Whether a reply passes that the code rejects. */
  readonly isNegated: boolean;
  /** Whether its score counts, as in a test that passes with a share of its assertions. */
  readonly isScored: boolean;
}

export function codeFileName(suite: string, kind: CodeKind): string {
  return `${suite}.judges.${codeKinds[kind].ending}`;
}

interface NamedCode extends JudgeCode {
  readonly name: string;
}

export function codeFileText(kind: CodeKind, all: readonly NamedCode[]): string {
  switch (kind) {
    case 'javascript':
      return [...javascriptHead, ...all.map(javascriptOf), javascriptEnd].join('\n');
    case 'python':
      return [...pythonHead, ...all.map(pythonOf), pythonEnd].join('\n');
  }
}

/** How much the hub keeps of a text that the code returns. */
const reasonMax = 2_000;

/** A path and, after a colon, a name in it. */
const fileForm = /^file:\/\/(.+?)(?::(\w+))?$/;

const javascriptHead = [
  `// JavaScript assertions of a promptfoo configuration. They need ${codeKinds.javascript.needs}.`,
  'const judges = {',
];

function javascriptOf({ name, source, context, threshold, isNegated, isScored }: NamedCode): string {
  const head = `context: ${writeExactJson(context)}, threshold: ${threshold}, isNegated: ${isNegated}, isScored: ${isScored}`;
  const [, path, exported = 'default'] = fileForm.exec(source) ?? [];
  const code =
    path === undefined
      ? `lines: ${linesOf(javascriptBody(source))}`
      : `file: ${linesOf(`${path}\n${exported}`)}`;
  return `'${name}': { ${head}, ${code} },`;
}

/** The file has the code as text, so that an assertion with a syntax error does not break the others. */
function linesOf(code: string): string {
  return `[\n${code
    .split('\n')
    .map((line) => `  ${JSON.stringify(line)},\n`)
    .join('')}]`;
}

/** As promptfoo reads it: one line is an expression, perhaps after declarations. */
function javascriptBody(source: string): string {
  if (source.includes('\n')) return source;
  const line = trimmed(source, /[;\s]/);
  const [declared = ''] = declarations.exec(line) ?? [];
  return `${declared} return ${line.slice(declared.length)}`.trim();
}

/** Up to the last semicolon outside of quotes. */
const declarations = /^(?:const|let|var)\s(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`|[^'"`])*;/;

const javascriptEnd = `};

/** A reply with tool calls, as a provider of OpenAI returns it. */
function outputOf({ text, tool_calls: calls = [] }) {
  if (calls.length === 0) return text;
  const called = calls.map(({ name, arguments: given }, at) => ({
    id: 'call-' + (at + 1),
    type: 'function',
    function: { name, arguments: JSON.stringify(given) },
  }));
  return text === '' ? called : { role: 'assistant', content: text, tool_calls: called };
}

async function checkOf({ lines, file }) {
  if (lines !== undefined)
    return (async () => {}).constructor('output', 'context', 'require', lines.join('\\n'));
  const [path, name] = file;
  const loaded = await import(require('node:url').pathToFileURL(require('node:path').resolve(__dirname, path)));
  const check = loaded[name] ?? loaded.default[name];
  return typeof check === 'function' ? check : check.default;
}

async function verdictOf({ context, threshold, isNegated, ...code }, { messages, reply }) {
  try {
    const check = await checkOf(code);
    const result = await check(outputOf(reply), { ...context, prompt: messages.at(-1).content }, require);
    if (typeof result === 'boolean') return { passed: result !== isNegated, score: Number(result !== isNegated) };
    const { pass, score, reason } =
      typeof result === 'number'
        ? { pass: threshold === null ? result > 0 : result >= threshold, score: result }
        : (result ?? {});
    if (typeof pass !== 'boolean' || !Number.isFinite(score))
      throw new TypeError('The code must return true or false, a score, or an object with pass and score.');
    return { passed: pass !== isNegated, score, reason };
  } catch (error) {
    // promptfoo fails the reply, however the assertion begins.
    return { passed: false, score: 0, reason: String(error) };
  }
}

async function main() {
  // The verdict is all that this program prints.
  console.log = console.info = console.debug = console.error;
  const judge = judges[process.argv[2]];
  const { passed, score, reason = '' } = await verdictOf(judge, JSON.parse(require('node:fs').readFileSync(0, 'utf8')));
  const share = judge.isScored ? Math.min(1, Math.max(0, score)) || 0 : Number(passed);
  process.stdout.write(JSON.stringify({ share, explanation: String(reason).slice(0, ${reasonMax}).toWellFormed() }));
}

main().catch((error) => {
  console.error(String(error));
  process.exitCode = 1;
});
`;

const pythonHead = [
  `"""Python assertions of a promptfoo configuration. They need ${codeKinds.python.needs}."""`,
  'import contextlib',
  'import importlib.util',
  'import json',
  'import math',
  'import pathlib',
  'import sys',
  '',
  'judges = {}',
  '',
  '',
  'def load(path, name):',
  '    spec = importlib.util.spec_from_file_location("assertion", pathlib.Path(__file__).parent / path)',
  '    module = importlib.util.module_from_spec(spec)',
  '    spec.loader.exec_module(module)',
  '    return getattr(module, name)',
  '',
];

function pythonOf({ name, source, context, threshold, isNegated, isScored }: NamedCode): string {
  // A text of JSON is one of Python.
  const json = JSON.stringify(writeExactJson(context));
  const rules = [
    threshold === null ? 'None' : String(threshold),
    isNegated ? 'True' : 'False',
    isScored ? 'True' : 'False',
  ];
  return `judges["${name}"] = (${linesOf(pythonBody(source))}, json.loads(${json}), ${rules.join(', ')})`;
}

function pythonBody(source: string): string {
  const [, path, name = 'get_assert'] = fileForm.exec(source) ?? [];
  if (path !== undefined)
    return `    return load(${JSON.stringify(path)}, ${JSON.stringify(name)})(output, context)`;
  if (!source.includes('\n')) return `    return ${source}`;
  return source
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
}

const pythonEnd = `

lines, context, threshold, is_negated, is_scored = judges[sys.argv[1]]
given = json.load(sys.stdin)


def output_of(reply):
    """A reply with tool calls, as a provider of OpenAI returns it."""
    called = [
        {
            "id": f"call-{at + 1}",
            "type": "function",
            "function": {"name": call["name"], "arguments": json.dumps(call["arguments"])},
        }
        for at, call in enumerate(reply.get("tool_calls") or [])
    ]
    if not called:
        return reply["text"]
    return {"role": "assistant", "content": reply["text"], "tool_calls": called} if reply["text"] else called


def finite(score):
    if isinstance(score, bool) or not isinstance(score, (int, float)) or not math.isfinite(score):
        raise TypeError("The code must return True or False, a score, or a dictionary with pass and score.")
    return float(score)


def verdict_of():
    exec("\\n".join(["def check(output, context):", *lines]), globals())
    result = check(output_of(given["reply"]), {**context, "prompt": given["messages"][-1]["content"]})
    if isinstance(result, str):
        lowered = result.strip().lower()
        result = lowered == "true" if lowered in ("true", "false") else json.loads(result)
    if isinstance(result, bool):
        return result != is_negated, float(result != is_negated), ""
    if isinstance(result, dict):
        passed = result.get("pass", result.get("pass_"))
        if not isinstance(passed, bool):
            raise TypeError("The code must return True or False as pass.")
        score = finite(result.get("score"))
        passed = passed and (threshold is None or score >= threshold)
        return passed != is_negated, score, str(result.get("reason") or "")
    score = finite(result)
    return (score > 0 if threshold is None else score >= threshold) != is_negated, score, ""


try:
    # The verdict is all that this program prints.
    with contextlib.redirect_stdout(sys.stderr):
        passed, score, reason = verdict_of()
except Exception as error:
    # promptfoo fails the reply, however the assertion begins.
    passed, score, reason = False, 0.0, f"{type(error).__name__}: {error}"
share = min(1.0, max(0.0, score)) if is_scored else float(passed)
print(json.dumps({"share": share, "explanation": reason[:${reasonMax}]}))
`;
