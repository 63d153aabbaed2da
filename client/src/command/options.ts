/** Reads the flags of `evaluate`, and checks their values. */
import { type Flag, flags, type FlagName } from './flags.ts';
import { redemptionFields, type TargetRequest } from '../api-types.ts';

/** A flag or a value that cannot be used. The message names the flag, the rule and the way out. */
export class UsageFault extends Error {
  override readonly name = 'UsageFault';
}

export type Environment = Readonly<Record<string, string | undefined>>;

type ValueOf<One> = One extends { readonly kind: 'switch' }
  ? true
  : One extends { readonly kind: 'whole' | 'decimal' }
    ? number
    : One extends { readonly kind: 'list' | 'paths' }
      ? readonly string[]
      : One extends { readonly kind: 'choice'; readonly values: readonly (infer Value)[] }
        ? Value
        : string;

/** The flags that were given, by name. */
type Given = { readonly [Name in FlagName]?: ValueOf<(typeof flags)[Name]> };

export interface Options extends Omit<Given, 'product' | 'target' | 'concurrency'> {
  readonly product: 'eval-run' | 'agent-run' | 'suite-run';
  /** Null if a program answers. */
  readonly target: TargetRequest | null;
  readonly concurrency: number;
}

const headersMax = 5;
const headersVariable = 'TARGET_HEADERS';

/** @throws UsageFault */
export function parseOptions(words: readonly string[], environment: Environment): Options {
  const given = readWords(words);
  requireOne(given, ['suite', 'suite-file', 'import', 'product'], 'to say what to run');
  requireOne(given, ['cmd', 'target', 'regrade', 'matrix'], 'to say what your agent is');
  for (const name of Object.keys(given)) checkCompany(given, name as FlagName);
  if (given.product === 'agent-run' && given.cmd !== undefined && !given.serve) {
    throw new UsageFault(
      '--cmd answers one prompt, but --product agent-run needs an agent that calls tools. Add --serve, or use --target.',
    );
  }
  const concurrency = given.concurrency ?? 4;
  return {
    ...given,
    product: given.product ?? 'suite-run',
    target: readTarget({ ...given, concurrency }, environment),
    concurrency,
  };
}

/** What is allowed, but may be a mistake. */
export function warningsOf(options: Options): readonly string[] {
  const { 'min-score': score } = options;
  if (score === undefined || score === 0 || score > 1) return [];
  return [`--min-score ${score} is a score from 0 to 100. For a share from 0 to 1, use --min-pass ${score}.`];
}

/** The fields of the redemption that were given. */
export function orderOf(options: Options): Readonly<Record<string, unknown>> {
  // A table of flags has their names.
  const names = Object.keys(redemptionFields) as (keyof typeof redemptionFields)[];
  const fields = names.map((name) => [name.replaceAll('-', '_'), options[name]]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function readWords(words: readonly string[]): Given {
  const texts = new Map<string, string[]>();
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [head = '', ...tail] = word.split('=');
    const name = head.slice(2);
    if (!head.startsWith('--') || !Object.hasOwn(flags, name))
      throw new UsageFault(
        `There is no flag ${quote(head)}.${proposal(head.replace(/^-+/, ''))} \`evaluate --help\` lists the flags.`,
      );
    const flag: Flag = flags[name as FlagName];
    const isLast = (rest[0] ?? '--').startsWith('--');
    const value = tail.length > 0 ? tail.join('=') : null;
    const known = texts.get(name);
    if (flag.kind === 'switch' && value !== null)
      throw new UsageFault(`--${name} takes no value. Write --${name}.`);
    if (known !== undefined && !['switch', 'list', 'paths'].includes(flag.kind))
      throw new UsageFault(`--${name} is given twice. Give it once.`);
    const values = value === null ? [] : [value];
    if (flag.kind === 'paths' && value === null) {
      const next = rest.findIndex((one) => one.startsWith('--'));
      values.push(...rest.splice(0, next === -1 ? rest.length : next));
    } else if (flag.kind !== 'switch' && value === null)
      values.push((isLast ? 'bare' in flag && flag.bare : rest.shift()) || '');
    if (values.includes('') || (values.length === 0 && !['switch', 'paths'].includes(flag.kind)))
      throw new UsageFault(
        `--${name} needs a value. Write --${name} VALUE, or --${name}=VALUE if it begins with --. A variable that is not set gives none.`,
      );
    texts.set(name, [...(known ?? []), ...values]);
  }
  const hasTarget = texts.has('target');
  const read = [...texts].map(([name, values]) => [name, readValue(name as FlagName, values, hasTarget)]);
  // `readValue` returns what the table says.
  return Object.fromEntries(read) as Given;
}

/** The flag that is probably meant: a third of its letters may differ. */
function proposal(given: string): string {
  const name = given.slice(0, 40);
  const far = Object.keys(flags).map((flag) => [edits(name, flag), flag] as const);
  const [nearest, flag] = far.reduce((best, each) => (each[0] < best[0] ? each : best));
  return nearest <= Math.floor(name.length / 3) ? ` Did you mean --${flag}?` : '';
}

/** Letters to add, remove or replace. */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const letter of from) {
    let [left, above] = [(row[0] ?? 0) + 1, row[0] ?? 0];
    row = row.map((cell, at) => {
      const changed = above + (to[at - 1] === letter ? 0 : 1);
      if (at > 0) left = Math.min(left + 1, cell + 1, changed);
      above = cell;
      return left;
    });
  }
  return row.at(-1) ?? 0;
}

function readValue(name: FlagName, values: readonly string[], hasTarget: boolean): unknown {
  const flag: Flag = flags[name];
  const [text = ''] = values;
  const refuse = (rule: string): never => {
    throw new UsageFault(`--${name} must ${rule}, but is ${quote(text)}.`);
  };
  switch (flag.kind) {
    case 'switch':
      return true;
    case 'text':
      return text;
    case 'list':
    case 'paths':
      return values;
    case 'line': {
      const length = Array.from(text).length;
      if (length <= flag.most && /^[^\p{Cc}\p{Cf}\p{Cs}]+$/u.test(text) && text.trim() !== '') return text;
      throw new UsageFault(`--${name} must have 1 to ${flag.most} characters on one line. Shorten it.`);
    }
    case 'whole': {
      const [least, most] = (hasTarget ? flag.target : undefined) ?? [flag.least, flag.most];
      const number = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
      return number >= least && number <= most
        ? number
        : refuse(`be a whole number from ${least} to ${most}`);
    }
    case 'decimal': {
      const number = /^\d{1,3}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
      return number <= flag.most
        ? number
        : refuse(`be a number from 0 to ${flag.most}, such as ${flag.example}`);
    }
    case 'choice':
      return (
        flag.values.find((value) => String(value) === text) ?? refuse(`be one of ${flag.values.join(', ')}`)
      );
    case 'pattern':
      return new RegExp(flag.pattern, 'u').test(text) ? text : refuse(flag.rule);
  }
}

function readTarget(
  given: Given & { readonly concurrency: number },
  environment: Environment,
): TargetRequest | null {
  const { target, protocol, model, header = [], timeout, concurrency } = given;
  if (target === undefined) return null;
  const all = [
    ...header.map((text) => readHeader(text, '--header must be')),
    ...readHeaders(headersVariable, environment),
  ];
  const count = all.length;
  if (count > headersMax) {
    throw new UsageFault(
      `A target takes ${headersMax} headers, but --header and ${headersVariable} give ${count}. Omit some.`,
    );
  }
  return {
    url: target,
    ...(protocol === undefined ? {} : { protocol }),
    ...(model === undefined ? {} : { model }),
    ...(count === 0 ? {} : { headers: Object.fromEntries(all) }),
    concurrency,
    ...(timeout === undefined ? {} : { timeout_s: timeout }),
  };
}

/** Checks the flags that this one needs and excludes. */
function checkCompany(given: Given, name: FlagName): void {
  const { needs = [], excludes = [] }: Flag = flags[name];
  const isGiven = (other: string): boolean => Object.hasOwn(given, other);
  if (needs.length > 0 && !needs.some(isGiven)) {
    const added = needs.length === 1 ? 'it' : 'one';
    throw new UsageFault(`--${name} needs --${needs.join(' or --')}. Add ${added}, or omit --${name}.`);
  }
  const other = excludes.find(isGiven);
  if (other !== undefined)
    throw new UsageFault(`--${name} cannot be combined with --${other}. Omit one of them.`);
}

/** Headers from a variable of the environment, one on each line. Other users of the machine cannot see them. */
export function readHeaders(variable: string, environment: Environment): [name: string, value: string][] {
  const lines = (environment[variable] ?? '').split('\n').map((line) => line.trim());
  return lines
    .filter((line) => line !== '')
    .map((line) => readHeader(line, `Each line of ${variable} must be`));
}

/** The value is a secret, so it is not repeated. */
function readHeader(text: string, rule: string): [name: string, value: string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(\S.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new UsageFault(`${rule} a name and a value, such as 'authorization: Bearer …'.`);
  }
  return [name, value];
}

function requireOne(given: Given, names: readonly FlagName[], purpose: string): void {
  const found = names.filter((name) => given[name] !== undefined);
  if (found.length === 1) return;
  const listed = names.map((name) => `--${name}`).join(', ');
  const fault = found.length === 0 ? 'None' : found.map((name) => `--${name}`).join(' and ');
  throw new UsageFault(`Give exactly one of ${listed} ${purpose}. Found: ${fault}.`);
}

const quoteMax = 60;

function quote(text: string): string {
  const characters = Array.from(text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '?'));
  return characters.length <= quoteMax
    ? `\`${characters.join('')}\``
    : `\`${characters.slice(0, quoteMax).join('')}…\``;
}
