/**
 * Small requests whose work is large: texts that multiply, trees of tiny values or of many levels, schemas that double,
 * formats whose check backtracks, tables of many columns.
 */
import { hostileShapes } from '../hostile-texts/shapes.ts';

/** A request as an attacker sends it. */
export interface HeavyRequest {
  readonly name: string;
  /** Sent in turn. */
  readonly paths: readonly string[];
  readonly type?: string;
  readonly body?: string;
}

const json = 'application/json';
const yaml = 'application/yaml';
const promptfoo = ['/v1/suites/import?from=promptfoo'];
const checks = ['/v1/suites/check'];

/** `{{a}}` a hundred times, where a is `{{b}}` a hundred times, and so on. */
function nestedVariables(): string {
  const many = (name: string): string => `{{${name}}}`.repeat(100);
  return JSON.stringify({
    prompts: [many('a')],
    providers: ['x'],
    tests: [
      { vars: { a: many('b'), b: many('c'), c: 'x'.repeat(100) }, assert: [{ type: 'equals', value: 'x' }] },
    ],
  });
}

function multiplyingScenarios(): string {
  const vars = Array.from({ length: 600 }, (_, at) => ({ vars: { a: String(at) } }));
  const tests = Array.from({ length: 600 }, () => ({ assert: [{ type: 'equals', value: 'x' }] }));
  return JSON.stringify({ prompts: ['{{a}}'], providers: ['x'], scenarios: [{ config: vars, tests }] });
}

/** Each definition names the next one twice. */
function doublingSchema(): object {
  const levels = 40;
  const definitions = Object.fromEntries(
    Array.from({ length: levels }, (_, at) => {
      const next = { $ref: `#/$defs/d${at + 1}` };
      return [`d${at}`, at === levels - 1 ? { type: 'string' } : { allOf: [next, next] }];
    }),
  );
  return { $defs: definitions, $ref: '#/$defs/d0' };
}

const graded = (name: string, grader: object, accepted: readonly string[], count = 1): string =>
  JSON.stringify({
    suite: 1,
    name,
    cases: Array.from({ length: count }, () => ({ prompt: 'x', expect: [grader], accepted })),
  });

/** Records of a data set, of about this many bytes together. */
const lines = (bytes: number, record: (number: number) => string): string => {
  const one = record(0).length + 1;
  return Array.from({ length: Math.max(1, Math.floor(bytes / one)) }, (_, at) => record(at)).join('\n');
};

/** @param bytes of the largest bodies */
export function heavyRequests(bytes: number): readonly HeavyRequest[] {
  const backtracks = `"http://${'a.'.repeat(12_000)}"`;
  const check = { paths: checks, type: json };
  const many = (count: number, text: (number: number) => string) =>
    Array.from({ length: count }, (_, at) => text(at));
  return [
    // The short form sends only the first two: the one whose work takes longest, and the largest of those that cost most.
    {
      name: 'nested expressions',
      ...check,
      body: graded(
        'expressions',
        { matches: '(a{0,30}){0,30}b$' },
        // Each reply takes most of what grading it may take.
        many(20, () => 'a'.repeat(10_000)),
        10,
      ),
    },
    {
      name: 'tiny nodes',
      paths: checks,
      type: yaml,
      body: `suite: 1\nname: nodes\ncases:\n${'- {}\n'.repeat(bytes / 5)}`,
    },
    { name: 'nested variables', paths: promptfoo, type: json, body: nestedVariables() },
    { name: 'multiplying scenarios', paths: promptfoo, type: json, body: multiplyingScenarios() },
    {
      name: 'multiplying variables',
      paths: promptfoo,
      type: json,
      body: JSON.stringify({
        prompts: many(10, (at) => `${at} {{a}} {{b}} {{c}}`),
        providers: ['x'],
        tests: [{ vars: { a: many(50, String), b: many(50, String), c: many(50, String) } }],
      }),
    },
    {
      name: 'nodes up to the limit',
      paths: checks,
      type: yaml,
      body: `suite: 1\nname: nodes\ncases: [${'[],'.repeat(Math.min(bytes / 3, 160_000))}]`,
    },
    {
      name: 'doubling references',
      ...check,
      body: graded('doubling', { json: { schema: doublingSchema() } }, ['1']),
    },
    {
      name: 'backtracking format',
      ...check,
      body: graded(
        'format',
        { json: { schema: { type: 'string', format: 'url' } } },
        many(20, () => backtracks),
      ),
    },
    {
      name: 'CSV of many cells',
      paths: ['/v1/suites/import?from=csv'],
      type: 'text/csv',
      body: `prompt,expected,${many(97, (at) => `c${at}`).join()}\n${lines(bytes / 5, () => 'a,b'.padEnd(100, ','))}`,
    },
    {
      name: 'Inspect samples of many targets',
      paths: ['/v1/suites/import?from=inspect&grading=match'],
      type: 'application/jsonl',
      body: lines(bytes, (at) =>
        JSON.stringify({ input: `What is ${at}?`, target: many(500, (number) => `(${number})`) }),
      ),
    },
    {
      name: 'OpenAI Evals of many ideals',
      paths: ['/v1/suites/import?from=openai-evals&grading=fuzzy-match'],
      type: 'application/jsonl',
      body: lines(bytes, (at) =>
        JSON.stringify({ input: `What is ${at}?`, ideal: many(100, (number) => `It is ${number}.`) }),
      ),
    },
    { name: 'deep arguments of a tool', paths: ['/mcp'], type: json, body: deepArguments(40_000) },
  ];
}

function deepArguments(levels: number): string {
  const deep = '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_agents","arguments":{"q":${deep}}}}`;
}

const postLength = 7_900;
/** No post may have them. */
const otherControls = /[^\P{Cc}\n\t]/u;
export const postsOfThread = 49;

/** The posts of pages that are heavy. Those of all constructs are more than the hub keeps rendered. */
export const heavyPosts: Readonly<Record<string, readonly string[]>> = {
  'wide tables': Array.from(
    { length: postsOfThread },
    (_, at) => `${at}\n\n${'|a'.repeat(600)}|\n${'|-'.repeat(600)}|\n${'|\n'.repeat(2_600)}`,
  ),
  'every construct of Markdown': hostileShapes
    .map(({ text }, at) => `${at}\n\n${text(postLength)}`)
    .filter((text) => text.isWellFormed() && !otherControls.test(text)),
};
