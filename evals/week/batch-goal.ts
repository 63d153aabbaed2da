/** A goal over a batch of records that one policy decides. Families differ in records, facts and tools. */
import { nobody } from './areas/facts.ts';
import { longDay } from './days.ts';
import { type Chapter, type Company, deciderOf } from './company.ts';
import { decide, decideAll, type Outcome } from './manual/decide.ts';
import { type CaseWish, drawCase, drawFactsAt } from './manual/draw-facts.ts';
import type { Facts } from './manual/rules.ts';
import type { Oracle } from './oracle.ts';
import type { Figure, Goal, GoalInput } from './tasks.ts';
import { type Answer, type CaseTruth, type Lookup, type Row, type TableName } from './office.ts';

export interface BatchSpec {
  readonly family: string;
  readonly policy: string;
  readonly table: TableName;
  readonly tool: string;
  readonly request: string;
  readonly caseIds: readonly string[];
  readonly figures: readonly Figure[];
  /** The other records that a case's facts are in. */
  readonly linked: (lookup: Lookup, id: string) => { readonly table: TableName; readonly id: string }[];
  /** Finds the cases through tools, as the request names them. */
  readonly collect: (oracle: Oracle) => readonly string[];
  readonly factsOf: (lookup: Lookup, id: string) => Facts;
  /** The fields of the tool by the values of the policy's questions; null if the case must be left alone. */
  readonly fieldsOf: (lookup: Lookup, id: string, outcome: Outcome) => Row | null;
  readonly change: Goal['change'];
  readonly answers?: readonly Answer[];
  /** More that has to be done once the records are known. */
  readonly prepare?: (oracle: Oracle, ids: readonly string[]) => void;
}

export function chapterOf(company: Company, policy: string): Chapter {
  const chapter = company.chapters.get(policy);
  if (chapter === undefined) throw new RangeError(`The manual has no chapter on ${policy}.`);
  return chapter;
}

export function batchGoal(company: Company, spec: BatchSpec): Goal {
  const chapter = chapterOf(company, spec.policy);
  const { law } = chapter;
  return {
    family: spec.family,
    policy: spec.policy,
    topic: law.policy.spec.topic,
    request: spec.request,
    caseIds: spec.caseIds,
    table: spec.table,
    figures: spec.figures,
    answers: spec.answers ?? [],
    change: spec.change,
    facts: (office, id) => spec.factsOf(office, id),
    truth(office, id, other = {}): CaseTruth {
      const { table } = spec;
      const believed = { ...law, amendments: [...law.amendments, ...(other.amendments ?? [])] };
      const outcome = { ...decideAll(believed, spec.factsOf(office, id)), ...other.values };
      const fields = spec.fieldsOf(office, id, outcome);
      const sources = sourcesOf(company, chapter, spec.factsOf(office, id));
      if (fields === null)
        return { table, id, fields: null, what: `${id} is left alone`, sources: [`record ${id}`] };
      const { approver, _amount: amount, ...rest } = fields;
      const person =
        approver === undefined || approver === nobody
          ? approver
          : deciderOf(office, String(approver))['person_id'];
      const required: Row = person === undefined ? rest : { ...rest, approver: person };
      const what = Object.entries(required).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
      const base = { table, id, fields: required, what: `${id}: ${what.join(', ')}`, sources };
      return typeof amount === 'number' ? { ...base, amount } : base;
    },
    play(oracle, read = (own) => own.law) {
      const understood = read(chapter);
      oracle.study(spec.policy);
      const found = spec.collect(oracle);
      const look = (own: readonly string[]) => {
        oracle.fetch(spec.table, own);
        const next = own.flatMap((id) => spec.linked(oracle, id));
        for (const table of new Set(next.map((link) => link.table)))
          oracle.fetch(
            table,
            next.filter((link) => link.table === table).map(({ id }) => id),
          );
      };
      look(found);
      spec.prepare?.(oracle, found);
      playDecisions(
        oracle,
        spec,
        found,
        (id) => spec.fieldsOf(oracle, id, decideAll(understood, spec.factsOf(oracle, id))),
        look,
      );
    },
  };
}

function playDecisions(
  oracle: Oracle,
  spec: BatchSpec,
  found: readonly string[],
  fieldsOf: (id: string) => Row | null,
  look: (own: readonly string[]) => void,
): void {
  const people = new Map<string, string>();
  const personOf = (post: string) => {
    const known = people.get(post) ?? oracle.deciderOf(post);
    people.set(post, known);
    return known;
  };
  const approvals = new Map<string, string>();
  const needed = (id: string) => {
    const fields = fieldsOf(id);
    const post = fields?.['approver'];
    if (fields === null || post === undefined || post === nobody) return [];
    return [{ entryId: id, amount: Number(fields['_amount']), approverId: personOf(String(post)) }];
  };
  const keyOf = (id: string) => JSON.stringify(needed(id));
  const ask = (own: readonly string[]) => {
    const given = oracle.approve(own.flatMap(needed));
    for (const id of own) {
      const approval = given.get(id);
      if (approval !== undefined) approvals.set(keyOf(id), approval);
    }
  };
  ask(found);
  const decideOne = (id: string): Row | null => {
    const fields = fieldsOf(id);
    if (fields === null) return null;
    const visible = Object.entries(fields).filter(([name]) => name !== 'approver' && !name.startsWith('_'));
    const approval = approvals.get(keyOf(id));
    return { ...Object.fromEntries(visible), ...(approval === undefined ? {} : { approval_id: approval }) };
  };
  oracle.record(spec.tool, spec.table, found, decideOne, (id) => {
    look([id]);
    if (needed(id).length > 0 && !approvals.has(keyOf(id))) ask([id]);
  });
}

/** Where the rules and facts of a case stand, for the scorecard. */
function sourcesOf(company: Company, { law, memos }: Chapter, facts: Facts): string[] {
  const clauses = law.policy.questions.flatMap((question) => decide(law, question, facts).path);
  const pages = clauses.flatMap(({ id }) => {
    const place = company.manual.places.get(`${law.policy.spec.name}/${id}`);
    return place === undefined ? [] : [`manual, page ${place.page}, ${place.number}`];
  });
  const mails = law.policy.questions
    .flatMap((question) => decide(law, question, facts).amendments)
    .flatMap(({ id, from }) => {
      const memo = memos.get(id);
      return memo === undefined ? [] : [`mail ${memo.mailId}, in force from ${longDay(from)}`];
    });
  return [...new Set([...pages, ...mails])];
}

/** The facts of the cases of a goal: from level to level, more kinds of rules decide at least one. */
export function drawCases(
  { random, company, dials, cases }: Pick<GoalInput, 'random' | 'company' | 'dials' | 'cases'>,
  policy: string,
  draw: Pick<CaseWish, 'drawDay' | 'isPossible'>,
  fixed: Facts = {},
): Facts[] {
  const { law, voids } = chapterOf(company, policy);
  const allowed = new Set(dials.kinds);
  const kinds = Array.from({ length: cases }, (_, index) => {
    const wish = index - Math.floor(index / freeEvery);
    return index % freeEvery === freeEvery - 1 ? null : (dials.kinds[wish % dials.kinds.length] ?? null);
  });
  return random.shuffle(kinds).map((kind) => drawCase(random, law, voids, { kind, allowed, ...draw }, fixed));
}

/** Every fourth case is drawn without a wish for a kind of rule. */
const freeEvery = 4;

/** Facts for background records, which nobody decides. */
export function drawFiller(
  random: GoalInput['random'],
  company: Company,
  policy: string,
  drawDay: () => string,
): Facts {
  const facts = drawFactsAt(random, chapterOf(company, policy).law.policy, [], drawDay());
  if (facts === null) throw new Error('Facts without conditions are always met.');
  return facts;
}
