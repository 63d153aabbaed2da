/**
 * Small requests whose work is large: texts that multiply, trees of tiny values, schemas that double, formats whose check
 * backtracks, tables of many columns.
 */

/** A request as an attacker sends it. */
export interface HeavyRequest {
  readonly name: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: string;
}

const json = 'application/json';
const yaml = 'application/yaml';
const importPath = '/v1/suites/import?from=promptfoo';

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

const graded = (name: string, grader: object, accepted: readonly string[]): string =>
  JSON.stringify({ suite: 1, name, cases: [{ prompt: 'x', expect: [grader], accepted }] });

export function heavyRequests(nodesBytes: number): readonly HeavyRequest[] {
  const backtracks = `"http://${'a.'.repeat(12_000)}"`;
  return [
    { name: 'nested variables', path: importPath, type: json, body: nestedVariables() },
    { name: 'multiplying scenarios', path: importPath, type: json, body: multiplyingScenarios() },
    {
      name: 'tiny nodes',
      path: '/v1/suites/check',
      type: yaml,
      body: `suite: 1\nname: nodes\ncases:\n${'- {}\n'.repeat(nodesBytes / 5)}`,
    },
    {
      name: 'doubling references',
      path: '/v1/suites/check',
      type: json,
      body: graded('doubling', { json: { schema: doublingSchema() } }, ['1']),
    },
    {
      name: 'backtracking format',
      path: '/v1/suites/check',
      type: json,
      body: graded(
        'format',
        { json: { schema: { type: 'string', format: 'url' } } },
        Array.from({ length: 20 }, () => backtracks),
      ),
    },
    {
      name: 'nested expressions',
      path: '/v1/suites/check',
      type: json,
      body: graded(
        'expressions',
        { matches: '(a{0,30}){0,30}b$' },
        Array.from({ length: 20 }, () => 'a'.repeat(60_000)),
      ),
    },
  ];
}

/** A post whose table has many columns, and rows without cells. */
export const wideTable = `${'|a'.repeat(600)}|\n${'|-'.repeat(600)}|\n${'|\n'.repeat(2_700)}`;
