/**
 * Judges of imported cases: rubrics for a model, and code for a file beside the suite. Importers write a judge into its
 * grader; here it gets a name.
 */
import { createHash } from 'node:crypto';
import type { GraderSpec, Judge, SuiteDocument } from '../document.ts';
import { writeExactJson } from '../exact-json.ts';
import { judgeNamed } from '../judges.ts';
import { maxJudges, maxJudgesOfCase, maxJudgeTitleCharacters, maxRubricCharacters } from '../limits.ts';
import { codeFileName, codeFileText, codeKinds, type JudgeCode } from './code-file.ts';
import type { ImportedCase } from './imported.ts';
import type { LostList } from './lost-list.ts';

type UnnamedJudge = {
  readonly kind: string;
  /** Of its assertion in the source, if that is not the line of the case. */
  readonly at?: { readonly line: number; readonly file: string | undefined; readonly construct: string };
} & ({ readonly rubric: string } | { readonly code: JudgeCode });

/** @param kind of the source, which the name of the judge begins with */
export function byRubric(kind: string, rubric: string): GraderSpec {
  return { judge: { kind, rubric } satisfies UnnamedJudge };
}

export function byCode(code: JudgeCode): GraderSpec {
  return { judge: { kind: code.kind, code } satisfies UnnamedJudge };
}

/** A grader with the place that is named if a suite cannot have its judge. */
export function placed(spec: GraderSpec, at: NonNullable<UnnamedJudge['at']>): GraderSpec {
  // Only the functions above write it.
  return isJudged(spec) ? { ...spec, judge: { ...(spec['judge'] as UnnamedJudge), at } } : spec;
}

export function isJudged(spec: GraderSpec): boolean {
  return spec['judge'] !== undefined;
}

/** The rubric of a reply that must agree with a reference. */
export function agreement(reference: string): string {
  const rule =
    'The reply agrees with the reference on the facts. It may say less or more, but must not contradict it.';
  return `${rule}\n\nThe reference:\n${reference}`;
}

export interface CodeFile {
  readonly name: string;
  readonly text: string;
  /** What runs it. */
  readonly runtime: string;
}

const noFile =
  'Its code belongs in a file beside the suite, which only the command line of the hub writes: `hub suite import --out FILE`.';

export class ImportedJudges {
  /** Begins the names of files; null if none can be written. */
  readonly #suite: string | null;
  readonly #judges = new Map<string, { readonly judge: Judge; readonly code: JudgeCode | null }>();

  constructor(suite: string | null) {
    this.#suite = suite;
  }

  /** The case with names of judges in its graders. A judge that a suite cannot have is lost. */
  name(given: ImportedCase, lost: LostList): ImportedCase {
    let count = 0;
    const gone: string[] = [];
    const expect = given.expect.flatMap((spec) => {
      if (!isJudged(spec)) return [spec];
      // Only the functions above write it.
      const judge = spec['judge'] as UnnamedJudge;
      const named = count >= maxJudgesOfCase ? tooMany : this.#nameOf(judge);
      if ('why' in named) {
        const { line, file, construct } = { construct: judge.kind, ...given, ...judge.at };
        lost.add(line, construct, named.why, file);
        gone.push(construct);
        return [];
      }
      count += 1;
      return [{ ...spec, judge: named.name }];
    });
    return gone.length === 0
      ? { ...given, expect }
      : { ...given, expect, lost: [...(given.lost ?? []), ...gone] };
  }

  #nameOf({ at: _at, ...given }: UnnamedJudge): { readonly name: string } | { readonly why: string } {
    // Names follow from the content, so that a judge that is added renames no other.
    const hash = createHash('sha256').update(writeExactJson(given)).digest('hex').slice(0, 8);
    const name = `${given.kind}-${hash}`;
    if (this.#judges.has(name)) return { name };
    if (this.#judges.size >= maxJudges) return { why: `A suite has at most ${maxJudges} judges.` };
    if ('rubric' in given) {
      const { rubric } = given;
      if (rubric.length > maxRubricCharacters)
        return { why: `A rubric has at most ${maxRubricCharacters} characters.` };
      this.#judges.set(name, { judge: { rubric }, code: null });
      return { name };
    }
    if (this.#suite === null) return { why: noFile };
    const { kind } = given.code;
    const command = `${codeKinds[kind].command} ${codeFileName(this.#suite, kind)} ${name}`;
    const { source, isNegated } = given.code;
    const expression = `${isNegated ? 'not: ' : ''}${source.trim()}`;
    const title = expression.slice(0, maxJudgeTitleCharacters).toWellFormed();
    this.#judges.set(name, { judge: { command, ...(title === '' ? {} : { title }) }, code: given.code });
    return { name };
  }

  /** Of these cases. */
  of(cases: readonly Pick<ImportedCase, 'expect'>[]): Pick<SuiteDocument, 'judges'> {
    const judges = this.#named(cases).map(([name, { judge }]) => [name, judge] as const);
    return judges.length === 0 ? {} : { judges: Object.fromEntries(judges) };
  }

  /** The code of these cases, one file for each language. */
  files(cases: readonly Pick<ImportedCase, 'expect'>[]): readonly CodeFile[] {
    const named = this.#named(cases).flatMap(([name, { code }]) =>
      code === null ? [] : [{ name, ...code }],
    );
    return [...Map.groupBy(named, ({ kind }) => kind)].map(([kind, own]) => ({
      name: codeFileName(this.#suite ?? '', kind),
      text: codeFileText(kind, own),
      runtime: codeKinds[kind].needs,
    }));
  }

  #named(cases: readonly Pick<ImportedCase, 'expect'>[]) {
    const names = new Set(cases.flatMap(({ expect }) => expect.flatMap((spec) => judgeNamed(spec) ?? [])));
    return [...this.#judges].filter(([name]) => names.has(name));
  }
}

const tooMany = { why: `A case has at most ${maxJudgesOfCase} judges.` };
