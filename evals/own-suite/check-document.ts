/** Checks a parsed suite against every rule that needs no reply. */
import { CaseShape, type GraderSpec, HeaderShape, type SuiteCase, type SuiteDocument } from './document.ts';
import { type Fault, findShapeFaults, nameOf, type Path } from './fault.ts';
import { checkGrader } from './graders/registry.ts';
import { maxFaults } from './limits.ts';

export type CheckedDocument =
  | { readonly ok: true; readonly document: SuiteDocument }
  /** At most `maxFaults`. */
  | { readonly ok: false; readonly faults: readonly Fault[] };

export function checkDocument(value: unknown): CheckedDocument {
  const headFaults = findShapeFaults(HeaderShape, value, [], 'The suite');
  if (headFaults.length > 0) return { ok: false, faults: headFaults.slice(0, maxFaults) };
  // The value has just been checked; the cases follow.
  const head = value as Omit<SuiteDocument, 'cases'> & { readonly cases: readonly unknown[] };
  const faults: Fault[] = [];
  const firstWithId = new Map<string, number>();
  const cases: SuiteCase[] = [];
  for (const [index, given] of head.cases.entries()) {
    const path = ['cases', index];
    const own = checkCase(given, path);
    faults.push(...own);
    if (own.length === 0) cases.push(withId(given as SuiteCase, index)); // It has no faults, so it is a case.
    const id = idOf(given, index);
    const first = firstWithId.get(id);
    if (first === undefined) firstWithId.set(id, index);
    else
      faults.push({
        path: [...path, 'id'],
        message: `\`${nameOf([...path, 'id'])}\` must be unique; cases[${first}] is ${JSON.stringify(id)} too.`,
      });
    if (faults.length >= maxFaults) break;
  }
  return faults.length > 0
    ? { ok: false, faults: faults.slice(0, maxFaults) }
    : { ok: true, document: { ...head, cases } };
}

/** Messages name fields from the root of the document, so that they make sense without the place. */
function checkCase(given: unknown, path: Path): readonly Fault[] {
  const name = nameOf(path);
  const shape = findShapeFaults(CaseShape, given, path, `\`${name}\``).map((fault) => ({
    ...fault,
    message: `${name}: ${fault.message}`,
  }));
  if (shape.length > 0) return shape;
  const { prompt, messages, tools, expect } = given as SuiteCase; // Its form has just been checked.
  const faults: Fault[] = [];
  const add = (at: Path, message: string) =>
    faults.push({ path: [...path, ...at], message: `${name}: ${message}` });
  if ((prompt === undefined) === (messages === undefined))
    add([], 'A case must have either `prompt` or `messages`.');
  if (messages !== undefined && messages.at(-1)?.role !== 'user')
    add(['messages'], 'The last of `messages` must have the role `user`.');
  if (new Set(tools?.map((tool) => tool.name)).size < (tools?.length ?? 0))
    add(['tools'], 'The names of `tools` must differ.');
  for (const [at, spec] of expect.entries()) {
    for (const fault of checkGrader(spec, [...path, 'expect', at])) {
      faults.push({ path: fault.path, message: `${nameOf(fault.path)}: ${fault.message}` });
    }
  }
  return faults;
}

/** A stored document, which was checked when it was published. */
export function openDocument(stored: unknown): SuiteDocument {
  // It had no faults, so it is a suite whose cases may lack ids.
  const document = stored as SuiteDocument;
  return { ...document, cases: document.cases.map(withId) };
}

function idOf(given: unknown, index: number): string {
  const id: unknown = typeof given === 'object' && given !== null ? Reflect.get(given, 'id') : undefined;
  return typeof id === 'string' ? id : `case-${index + 1}`;
}

function withId(given: SuiteCase, index: number): SuiteCase {
  const { id: _, ...rest } = given;
  return { id: idOf(given, index), ...rest };
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
