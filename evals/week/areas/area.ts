/**
 * An area of work: a chapter of the manual, the records that it decides, and the tool that books the decisions. Most
 * areas have records of one form, a batch of ledger entries, and are data for `recordArea`.
 */
import type { TProperties } from 'typebox';
import type { Random } from '../../random.ts';
import { batchGoal, drawCases, drawFiller } from '../batch-goal.ts';
import { newBatch, receiveMail } from '../company.ts';
import { dayAfter } from '../days.ts';
import type { Facts, PolicySpec, Value } from '../manual/rules.ts';
import type { Area, Figure } from '../tasks.ts';
import { approval, codeField, declareDecisions, oneOf } from '../tools/decisions.ts';
import { type Office, type Row, sum, text } from '../office.ts';
import { type code, type Fact, termOf } from './facts.ts';
import { nameBatch, openIncident } from './name-batch.ts';
import { type RecordForm, Records } from './records.ts';

/** The rules of an area. @template Name of its questions */
interface Rules<Name extends string = string> extends Pick<PolicySpec, 'name' | 'titles'> {
  /** The name by default. */
  readonly topic?: string;
  readonly facts: Readonly<Record<string, Fact>>;
  /** Nouns for a term, and the facts that it is about. */
  readonly terms: readonly string[];
  readonly questions: Readonly<Record<Name, ReturnType<typeof code>>>;
  /** Sentences that are true of every manual: which day decides, what is reckoned in which order. */
  readonly readings: readonly string[];
}

export function policyOf({
  name,
  topic = name,
  titles,
  facts,
  terms,
  questions,
  readings,
}: Rules): PolicySpec {
  return {
    name,
    topic,
    titles,
    terms: terms.map(termOf),
    attributes: Object.fromEntries(Object.entries(facts).map(([own, { attribute }]) => [own, attribute])),
    questions: Object.entries(questions).map(([own, rest]) => ({ name: own, ...rest })),
    readings: readings.map((one) => [one]),
  };
}

interface RecordSpec<Name extends string> extends Rules<Name>, RecordForm {
  /** The post that keeps the chapter. */
  readonly owner: string;
  /** What the entries are called in mails and requests: "contracts that run out". */
  readonly things: string;
  /** A request with `{which}`, which names the batch. */
  readonly request: string;
  readonly tool: { readonly name: string; readonly description: string };
  /** What the tool takes besides results that are words, and an approval. */
  readonly fields: TProperties;
  /** Whether facts can be those of a case; all can by default. */
  readonly isPossible?: (facts: Facts, today: string) => boolean;
  /** What is booked on an entry; the approver is a post, and `_amount` is what is approved. */
  readonly decide: (entry: Row, outcome: Readonly<Record<Name, Value>>) => Row;
  readonly figures: readonly Figure[];
  /** The status of entries that are left alone. */
  readonly closed: string;
  /** What is written where an entry is closed while the agent works, with `{id}`. */
  readonly closing: string;
}

export function counted(name: string, counts: (row: Row) => boolean): Figure {
  return { name, of: (booked) => booked.filter(counts).length };
}

export function summed(name: string, field: string): Figure {
  return { name, of: (booked) => sum(booked, field) };
}

function pastDay(office: Office, random: Random): string {
  return dayAfter(office.today, -random.int(4, 60));
}

/** What the tool of an area takes for an entry. */
function fieldsOf({ questions }: PolicySpec, fields: TProperties): TProperties {
  const has = (name: string) => questions.some((question) => question.name === name);
  const words = questions.flatMap(({ name, values }) =>
    ['code', 'approver'].includes(name) || typeof values[0] === 'number'
      ? []
      : [[name, oneOf(values.map(String))]],
  );
  return {
    ...(Object.fromEntries(words) as TProperties),
    ...fields,
    ...(has('code') ? { code: codeField() } : {}),
    ...(has('approver') ? { approval_id: approval() } : {}),
  };
}

export function recordArea<Name extends string>(spec: RecordSpec<Name>): Area {
  const { name, kind, owner, closed, dayOf } = spec;
  const readings = [
    `The day that decides is the day of the ${dayOf}.`,
    ...spec.readings,
    ...('approver' in spec.questions ? ['If nobody has to approve, it is entered without an approval.'] : []),
    `What has the status "${closed}" is not touched.`,
  ];
  const policy = policyOf({ ...spec, readings });
  const fields = fieldsOf(policy, spec.fields);
  const tool = declareDecisions({ ...spec.tool, fields, table: 'entries', kind });
  const records = new Records(spec);
  return {
    owner,
    policy,
    tool,
    addBackground({ office, company, random }, count) {
      for (let index = 0; index < count; index += 1) {
        const facts = drawFiller(random, company, name, pastDay(office, random));
        records.add(office, random, facts, `Z${random.int(100, 999)}`);
      }
    },
    make(input) {
      const { office, company, random } = input;
      const batch = newBatch(office, random);
      const isPossible = (facts: Facts) => spec.isPossible?.(facts, office.today) ?? true;
      const incident = spec.complaints === undefined ? null : openIncident(office, random);
      const wish = { drawDay: () => pastDay(office, random), isPossible };
      const drawn = drawCases(input, name, wish, incident?.fixed);
      const caseIds = drawn.map((facts) => records.add(office, random, facts, batch, incident?.id));
      const { which, find } = incident ?? nameBatch(spec, input, batch);
      return batchGoal(company, {
        policy: name,
        table: 'entries',
        tool: tool.name,
        caseIds,
        request: random.pick(['Decide on {which} by the manual.', spec.request]).replace('{which}', which),
        figures: spec.figures,
        answers: caseIds.flatMap((id) => records.answers(office, id)),
        linked: (lookup, id) => records.linked(lookup, id),
        collect: find,
        prepare: (oracle, ids) => records.ask(oracle, ids),
        factsOf: (lookup, id) => records.facts(lookup, id),
        fieldsOf(lookup, id, outcome) {
          const entry = lookup.get('entries', id);
          return entry['status'] === closed ? null : spec.decide(entry, outcome);
        },
        change(own, id) {
          own.edit('entries', id, { status: closed });
          const row = records.holder(own, id);
          const writer = text(row, 'contact') || text(row, 'name');
          receiveMail(own, own.newId('M'), text(row, 'email'), writer, {
            subject: `About ${id}`,
            body: spec.closing.replace('{id}', id),
          });
          own.unread += 1;
        },
      });
    },
  };
}
