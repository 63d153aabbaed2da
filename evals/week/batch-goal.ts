/** A goal over a batch of records that one policy decides. */
import { nobody } from './areas/facts.ts';
import { longDay } from './days.ts';
import { type Chapter, type Company, deciderOf } from './company.ts';
import { decide, decideAll } from './manual/decide.ts';
import { type CaseWish, drawCase, drawFactsAt } from './manual/draw-facts.ts';
import type { Facts } from './manual/rules.ts';
import type { Oracle } from './oracle.ts';
import type { Batch, Goal, GoalInput } from './tasks.ts';
import type { CaseTruth, Row } from './office.ts';

function chapterOf(company: Company, policy: string): Chapter {
  const chapter = company.chapters.get(policy);
  if (chapter === undefined) throw new RangeError(`The manual has no chapter on ${policy}.`);
  return chapter;
}

export function batchGoal(company: Company, batch: Batch): Goal {
  const chapter = chapterOf(company, batch.policy);
  const { law } = chapter;
  return {
    ...batch,
    topic: law.policy.spec.topic,
    truth(office, id, other = {}): CaseTruth {
      const { table } = batch;
      const facts = batch.factsOf(office, id);
      const believed = { ...law, amendments: [...law.amendments, ...(other.amendments ?? [])] };
      const fields = batch.fieldsOf(office, id, { ...decideAll(believed, facts), ...other.values });
      if (fields === null)
        return { table, id, fields: null, what: `${id} is left alone`, sources: [`record ${id}`] };
      const { approver, _amount: amount, ...rest } = fields;
      const person =
        approver === undefined || approver === nobody
          ? approver
          : deciderOf(office, String(approver))['person_id'];
      const required: Row = person === undefined ? rest : { ...rest, approver: person };
      const what = Object.entries(required).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
      const sources = sourcesOf(company, chapter, facts);
      const base = { table, id, fields: required, what: `${id}: ${what.join(', ')}`, sources };
      return typeof amount === 'number' ? { ...base, amount } : base;
    },
    play(oracle, read = (own) => own.law) {
      const understood = read(chapter);
      oracle.study(batch.policy);
      const found = batch.collect(oracle);
      const look = (own: readonly string[]) => {
        oracle.fetch(batch.table, own);
        const linked = own.flatMap((id) => batch.linked(oracle, id));
        for (const [table, links] of Map.groupBy(linked, (link) => link.table))
          oracle.fetch(
            table,
            links.map(({ id }) => id),
          );
      };
      look(found);
      batch.prepare?.(oracle, found);
      const fieldsOf = (id: string) =>
        batch.fieldsOf(oracle, id, decideAll(understood, batch.factsOf(oracle, id)));
      playDecisions(oracle, batch, found, fieldsOf, look);
    },
  };
}

function playDecisions(
  oracle: Oracle,
  { tool, table }: Batch,
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
    for (const [id, approval] of oracle.approve(own.flatMap(needed))) approvals.set(keyOf(id), approval);
  };
  ask(found);
  const decideOne = (id: string): Row | null => {
    const fields = fieldsOf(id);
    if (fields === null) return null;
    const visible = Object.entries(fields).filter(([name]) => name !== 'approver' && !name.startsWith('_'));
    const approval = approvals.get(keyOf(id));
    return { ...Object.fromEntries(visible), ...(approval === undefined ? {} : { approval_id: approval }) };
  };
  oracle.record(tool, table, found, decideOne, (id) => {
    look([id]);
    if (needed(id).length > 0 && !approvals.has(keyOf(id))) ask([id]);
  });
}

/** Where the rules and facts of a case stand, for the scorecard. */
function sourcesOf({ manual }: Company, { law, memos }: Chapter, facts: Facts): string[] {
  const decisions = law.policy.questions.map((question) => decide(law, question, facts));
  const pages = decisions.flatMap(({ path }) =>
    path.flatMap(({ id }) => {
      const place = manual.places.get(`${law.policy.spec.name}/${id}`);
      return place === undefined ? [] : [`manual, page ${place.page}, ${place.number}`];
    }),
  );
  const mails = decisions.flatMap(({ amendments }) =>
    amendments.flatMap(({ id, from }) => {
      const memo = memos.get(id);
      return memo === undefined ? [] : [`mail ${memo}, in force from ${longDay(from)}`];
    }),
  );
  return [...new Set([...pages, ...mails])];
}

/** Every fourth case is drawn without a wish for a kind of rule. */
const freeEvery = 4;

/** The facts of the cases of a goal: the larger the task, the more kinds of rules decide at least one. */
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

/** Facts for background records, which nobody decides. */
export function drawFiller(
  random: GoalInput['random'],
  company: Company,
  policy: string,
  day: string,
): Facts {
  const facts = drawFactsAt(random, chapterOf(company, policy).law.policy, [], day);
  if (facts === null) throw new Error('Facts without conditions are always met.');
  return facts;
}
