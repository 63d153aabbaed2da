/** Files of assertions that are code, for judges with a `command`. */
import { writeExactJson } from '../exact-json.ts';
import type { Fields } from './imported.ts';

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

/** A path and, after a colon, a name in it. */
const fileForm = /^file:\/\/(.+?)(?::(\w+))?$/;

const javascriptHead = [
  `// JavaScript assertions of a promptfoo configuration. They need ${codeKinds.javascript.needs}.`,
  'const judges = {',
];

function javascriptOf({ name, source, context, threshold }: NamedCode): string {
  const head = `context: ${writeExactJson(context)}, threshold: ${threshold}`;
  return `'${name}': { ${head}, check: async (output, context) => {\n${javascriptBody(source)}\n} },`;
}

/** As promptfoo reads it: one line is an expression. */
function javascriptBody(source: string): string {
  const [, path, name = 'default'] = fileForm.exec(source) ?? [];
  if (path === undefined) return source.includes('\n') ? source : `return ${source}`;
  return [
    `const file = require('node:path').resolve(__dirname, ${JSON.stringify(path)});`,
    "const loaded = await import(require('node:url').pathToFileURL(file));",
    `const check = loaded[${JSON.stringify(name)}] ?? loaded.default[${JSON.stringify(name)}];`,
    'return (typeof check === "function" ? check : check.default)(output, context);',
  ].join('\n');
}

const javascriptEnd = `};

async function main() {
  const { context, threshold, check } = judges[process.argv[2]];
  const { messages, reply } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
  const result = await check(reply.text, { ...context, prompt: messages.at(-1).content });
  const graded = typeof result === 'object' && result !== null ? result : { score: result };
  const score = Number(graded.score ?? graded.pass);
  if (Number.isNaN(score)) throw new Error('The code must return true or false, a score, or an object with one.');
  const passed = threshold === null ? (graded.pass ?? score > 0) : graded.pass !== false && score >= threshold;
  console.log(JSON.stringify({ share: passed ? 1 : 0, explanation: String(graded.reason ?? '') }));
}

main().catch((error) => {
  console.error(String(error));
  process.exitCode = 1;
});
`;

const pythonHead = [
  `"""Python assertions of a promptfoo configuration. They need ${codeKinds.python.needs}."""`,
  'import importlib.util',
  'import json',
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

function pythonOf({ name, source, context, threshold }: NamedCode): string {
  // A text of JSON is one of Python.
  const json = JSON.stringify(writeExactJson(context));
  const least = threshold === null ? 'None' : String(threshold);
  return `\ndef check(output, context):\n${pythonBody(source)}\n\n\njudges["${name}"] = (check, json.loads(${json}), ${least})\n`;
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
check, context, threshold = judges[sys.argv[1]]
given = json.load(sys.stdin)
result = check(given["reply"]["text"], {**context, "prompt": given["messages"][-1]["content"]})
graded = result if isinstance(result, dict) else {"score": result}
passed = graded.get("pass", graded.get("pass_"))
score = float(graded["score"] if graded.get("score") is not None else passed)
if threshold is not None:
    passed = passed is not False and score >= threshold
elif passed is None:
    passed = score > 0
print(json.dumps({"share": int(bool(passed)), "explanation": str(graded.get("reason") or "")}))
`;
