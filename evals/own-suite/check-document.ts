/** Checks a parsed suite against every rule that needs no reply. */
import {
  CaseShape,
  type GraderSpec,
  HeaderShape,
  type SuiteCase,
  type SuiteDocument,
  type Tool,
} from './document.ts';
import { type Fault, findShapeFaults, nameOf, type Path } from './fault.ts';
import type { GraderPlace } from './graders/grader.ts';
import { checkGrader } from './graders/registry.ts';
import { type CaseIdentity, CaseNames, idWarnings } from './identity.ts';
import { isFields } from './exact-json.ts';
import { checkJudges, judgeWarnings } from './judges.ts';
import { maxCases, maxDocumentWork, maxFaults, maxGraders, maxReplyWork } from './limits.ts';
import { checkMessages } from './messages.ts';
import { turnOf } from './turns.ts';
import { TooMuchWorkError, WorkBudget } from './work-budget.ts';

export type CheckedDocument =
  | {
      readonly ok: true;
      readonly document: SuiteDocument;
      /** What is allowed and may surprise, in sentences; at most `maxFaults`. */
      readonly warnings: readonly string[];
    }
  /** At most `maxFaults`. `sound` has the cases without a fault, by index. */
  | { readonly ok: false; readonly faults: readonly Fault[]; readonly sound: ReadonlyMap<number, SuiteCase> };

/** @param work what checking may cost; the document has a fault where it ends */
export function checkDocument(value: unknown, work = new WorkBudget(maxDocumentWork)): CheckedDocument {
  const faults = findShapeFaults(HeaderShape, value, [], 'The suite');
  const hasHeadFaults = faults.length > 0;
  // Without a fault, they have the form of `HeaderShape`.
  const head =
    isFields(value) && faults.length === 0 ? (value as Pick<SuiteDocument, 'tools' | 'judges'>) : {};
  if (head.tools !== undefined) faults.push(...checkTools(head.tools, ['tools']));
  const sound = new Map<number, SuiteCase>();
  const firstWithId = new Map<string, number>();
  const warnings = new Set<string>();
  const warn = (path: Path, message: string) => {
    if (warnings.size < maxFaults) warnings.add(`${nameOf(path)}: ${message}`);
  };
  const cases = casesOf(value);
  const names = new CaseNames(cases.flatMap((given) => ownIdOf(given) ?? []));
  for (const [index, given] of cases.entries()) {
    if (faults.length >= maxFaults || work.isSpent) break;
    const path = ['cases', index];
    const own = checkCase(given, path, { work, warn, tools: toolNames(given) ?? toolNames(head) ?? [] });
    faults.push(...own);
    // A case without faults has the form of one.
    if (own.length === 0) sound.set(index, withId(given as SuiteCase, names.nameOf(given as SuiteCase)));
    const id = ownIdOf(given);
    if (id === null) continue;
    const first = firstWithId.get(id);
    if (first === undefined) firstWithId.set(id, index);
    else
      faults.push({
        path: [...path, 'id'],
        message: `\`${nameOf([...path, 'id'])}\` must be unique; cases[${first}] is ${JSON.stringify(id)} too.`,
      });
  }
  if (!hasHeadFaults) faults.push(...checkJudges(head.judges ?? {}, sound));
  if (faults.length > 0) return { ok: false, faults: faults.slice(0, maxFaults), sound };
  const rest = value as Omit<SuiteDocument, 'cases'>; // It has no faults, so it is a suite.
  const unnamed = cases.length - firstWithId.size;
  const document: SuiteDocument = { ...rest, cases: [...sound.values()] };
  return {
    ok: true,
    document,
    warnings: [...idWarnings(unnamed, cases.length), ...judgeWarnings(document), ...warnings],
  };
}

/** Those of a document that may have faults. */
function casesOf(value: unknown): readonly unknown[] {
  const cases: unknown = isFields(value) ? value['cases'] : undefined;
  return Array.isArray(cases) ? cases.slice(0, maxCases) : [];
}

/** What all cases share. */
type Checking = Pick<GraderPlace, 'work' | 'warn' | 'tools'>;

/** Null if it has no tools, or faults in them. */
function toolNames(given: unknown): readonly string[] | null {
  const tools: unknown = isFields(given) ? given['tools'] : undefined;
  return Array.isArray(tools) ? tools.map((tool) => String(isFields(tool) ? tool['name'] : '')) : null;
}

/** Messages name fields from the root of the document, so that they make sense without the place. */
function checkCase(given: unknown, path: Path, checking: Checking): readonly Fault[] {
  const name = nameOf(path);
  const shape = findShapeFaults(CaseShape, given, path, `\`${name}\``).map((fault) => ({
    ...fault,
    message: `${name}: ${fault.message}`,
  }));
  if (!isFields(given)) return shape;
  const { expect } = given;
  return [
    ...shape,
    ...checkFields(given, shape, path),
    ...(Array.isArray(expect) ? checkGraders(expect.slice(0, maxGraders), path, checking) : []),
  ];
}

/** Rules about several fields, as far as those have the form that they must have. */
function checkFields(
  given: Readonly<Record<string, unknown>>,
  shape: readonly Fault[],
  path: Path,
): readonly Fault[] {
  const faults: Fault[] = [];
  const add = (at: Path, message: string) =>
    faults.push({ path: [...path, ...at], message: `${nameOf(path)}: ${message}` });
  const broken = new Set(shape.map((fault) => fault.path[path.length]));
  // Each field that has no fault has the form of `CaseShape`.
  const { prompt, messages, turns, tools, expect, accepted, refused } = Object.fromEntries(
    Object.entries(given).filter(([field]) => !broken.has(field)),
  ) as Partial<SuiteCase>;
  const asked = [prompt, messages, turns].filter((each) => each !== undefined).length;
  // A field with a fault may be the one that seems to be missing, under a wrong name.
  if (asked > 1 || (shape.length === 0 && asked === 0))
    add([], 'A case must have one of `prompt`, `messages` and `turns`.');
  for (const { path: at, message } of messages === undefined ? [] : checkMessages(messages))
    add(['messages', ...at], message);
  if (tools !== undefined) faults.push(...checkTools(tools, [...path, 'tools'], `${nameOf(path)}: `));
  const graded = new Set(expect?.map((spec) => turnOf(spec)));
  const last = turns?.length ?? 0;
  const marked = { expect, accepted, refused };
  for (const [list, entries = []] of Object.entries(marked)) {
    for (const [at, entry] of entries.entries()) {
      const turn = turnOf(entry);
      if (turn !== null && turn > last)
        add(
          [list, at, 'turn'],
          last === 0 ? 'Only a case with `turns` has a `turn`.' : `The case has ${last} turns.`,
        );
      else if (list !== 'expect' && expect !== undefined && !graded.has(turn))
        add(
          [list, at],
          `No grader looks at this reply; ${turn === null ? '`expect` of the case' : `\`expect\` of turn ${turn}`} is missing.`,
        );
    }
  }
  return faults;
}

/** @param name begins messages */
function checkTools(tools: readonly Tool[], path: Path, name = ''): readonly Fault[] {
  const faults: Fault[] = [];
  if (new Set(tools.map((tool) => tool.name)).size < tools.length)
    faults.push({ path, message: `${name}The names of \`tools\` must differ.` });
  for (const [at, { returns }] of tools.entries()) {
    if (!Array.isArray(returns)) continue;
    for (const [place, rule] of returns.entries()) {
      if ('return' in rule !== 'error' in rule) continue;
      const here = `tools[${at}].returns[${place}]`;
      faults.push({
        path: [...path, at, 'returns', place],
        message: `${name}\`${here}\` must have either \`return\` or \`error\`.`,
      });
    }
  }
  return faults;
}

/** The graders of a case are prepared for each reply, so all of them together must leave room for its grading. */
function checkGraders(
  expect: readonly unknown[],
  path: Path,
  { work: whole, ...around }: Checking,
): readonly Fault[] {
  const work = new WorkBudget(maxReplyWork, whole);
  const faults: Fault[] = [];
  for (const [at, spec] of expect.entries()) {
    const here = [...path, 'expect', at];
    try {
      for (const fault of checkGrader(spec, here, work, around))
        faults.push({ path: fault.path, message: `${nameOf(fault.path)}: ${fault.message}` });
    } catch (error) {
      if (!(error instanceof TooMuchWorkError)) throw error;
      faults.push({
        path: here,
        message: `${nameOf(here)}: ${whole.isSpent ? tooMuchInAll : tooMuchInCase}`,
      });
      break;
    }
  }
  return faults;
}

const tooMuchInCase = `Preparing the graders of the case takes more than ${maxReplyWork} steps. Use fewer graders, shorter expressions and smaller schemas.`;
const tooMuchInAll = `Checking the suite up to here takes more than ${maxDocumentWork} steps. Use simpler graders, or publish the cases as several suites.`;

/** A stored document with the ids that its cases got when it was checked and published. */
export function openDocument(stored: unknown, identities: readonly CaseIdentity[]): SuiteDocument {
  // It had no faults, so it is a suite whose cases may lack ids.
  const document = stored as SuiteDocument;
  return {
    ...document,
    cases: document.cases.map((given, at) => withId(given, identities[at]?.[0] ?? given.id)),
  };
}

function ownIdOf(given: unknown): string | null {
  const id: unknown = isFields(given) ? given['id'] : undefined;
  return typeof id === 'string' ? id : null;
}

function withId(given: SuiteCase, id: string): SuiteCase {
  const { id: _, ...rest } = given;
  return { id, ...rest };
}

/** The webhooks that judge replies, and so receive them, each with the first place that names it. */
export function judgesOf(document: Pick<SuiteDocument, 'cases'>): ReadonlyMap<string, Path> {
  const places = new Map<string, Path>();
  const visit = (spec: unknown, path: Path): void => {
    if (typeof spec !== 'object' || spec === null) return;
    for (const [key, value] of Object.entries(spec)) {
      if (key === 'webhook' && typeof value === 'string') {
        if (!places.has(value)) places.set(value, [...path, key]);
      } else if (key === 'not') visit(value, [...path, key]);
      else if ((key === 'all' || key === 'any') && Array.isArray(value))
        value.forEach((inner, at) => visit(inner, [...path, key, at]));
    }
  };
  document.cases.forEach(({ expect }, at) =>
    expect.forEach((spec: GraderSpec, index) => visit(spec, ['cases', at, 'expect', index])),
  );
  return places;
}
