/**
 * Notes on parcels, as one clerk writes them: in a few frames of sentences, with the clauses that this clerk prefers
 * in any order, and with remarks in between that say nothing about a parcel.
 */
import { firstDraft } from '../../language/draft.ts';
import { inventNames } from '../../language/invented-word.ts';
import { listOf, sentence } from '../../language/sentence.ts';
import { drawStyle, drawWording, fillIn } from '../../language/wordings.ts';
import type { Random } from '../../../random.ts';
import wordings from './notes.json' with { type: 'json' };
import { type Depot, drawDay, type Parcel } from './parcels.ts';
import { drawHand, type Hand, months } from './written-values.ts';

type Fact = keyof typeof wordings.facts;
/** Phrases stand in lists, verbs follow a subject, and clauses have one of their own. */
type Form = 'phrases' | 'verbs' | 'clauses';
type Values = Readonly<Record<string, string | number>>;

interface Person {
  readonly name: string;
  readonly home: string;
}

/** The wordings of one writer. */
interface Clerk {
  readonly frames: readonly string[];
  readonly fragile: readonly string[];
  readonly sturdy: readonly string[];
  readonly clauses: ReadonlyMap<Fact, Readonly<Record<Form, readonly string[]>>>;
  readonly hand: Hand;
  readonly remarks: readonly string[];
  /** People at the depot, whom remarks and notes mention. */
  readonly idler: Person;
  readonly other: Person;
}

const factNames = Object.keys(wordings.facts) as readonly Fact[];
const slot = /\{(phrases|verbs|clauses|sentences)\}/g;

/** One note per parcel, in varying words, with irrelevant remarks in between. */
export function writeNotes(random: Random, depot: Depot): string[] {
  const clerk = drawClerk(random, depot);
  let remarks = 0;
  return depot.parcels.flatMap((parcel) => {
    const note = writeNote(random, clerk, parcel);
    if (!random.chance(0.2)) return [note];
    const remark = clerk.remarks[remarks % clerk.remarks.length] ?? '';
    remarks += 1;
    return [note, fillRemark(random, remark, clerk, depot)];
  });
}

function drawClerk(random: Random, { towns }: Depot): Clerk {
  const [idler = '', other = ''] = firstDraft(() => {
    const names = inventNames(random, 2);
    return names.some((name) => towns.includes(name)) ? null : names;
  });
  return {
    frames: drawStyle(random, wordings.frames, 4),
    fragile: drawStyle(random, wordings.care.fragile, 3),
    sturdy: drawStyle(random, wordings.care.sturdy, 3),
    clauses: new Map(
      factNames.map((fact) => {
        const { phrases, verbs, clauses } = wordings.facts[fact];
        const [phrase, verb, clause] = [phrases, verbs, clauses].map((texts) => drawStyle(random, texts, 3));
        return [fact, { phrases: phrase ?? [], verbs: verb ?? [], clauses: clause ?? [] }];
      }),
    ),
    hand: drawHand(random),
    remarks: drawStyle(random, wordings.remarks, 14),
    idler: { name: idler, home: random.pick(towns) },
    other: { name: other, home: random.pick(towns) },
  };
}

function writeNote(random: Random, clerk: Clerk, parcel: Parcel): string {
  const { hand } = clerk;
  const person = random.pick([clerk.idler, clerk.other]);
  const frame = drawWording(random, clerk.frames);
  const values = {
    id: parcel.id,
    town: parcel.town,
    goods: random.pick(parcel.goods.phrases),
    weight: hand.weight(parcel.weight),
    day: hand.day(parcel.due),
    care: drawWording(random, parcel.fragile ? clerk.fragile : clerk.sturdy),
    person: person.name,
    place: person.home,
    past: hand.day(daysBefore(parcel.due, random.int(20, 90))),
  };
  const care: Fact = parcel.fragile ? 'fragile' : 'sturdy';
  const left = (['town', 'goods', 'weight', 'day'] as const).filter((fact) => !frame.includes(`{${fact}}`));
  const isOpen = frame.search(slot) >= 0;
  const hasAside = random.chance(0.15);
  const facts: readonly Fact[] = isOpen ? [...left, care, ...(hasAside ? (['aside'] as const) : [])] : [];
  const note = fillIn(fillSlots(random, clerk, frame, facts, values), values);
  return hasAside && !isOpen ? `${note} ${sentence(say(random, clerk, 'aside', 'clauses', values))}` : note;
}

/** The frame with all of `facts`, in any order, spread over its slots. */
function fillSlots(
  random: Random,
  clerk: Clerk,
  frame: string,
  facts: readonly Fact[],
  values: Values,
): string {
  const count = frame.match(slot)?.length ?? 0;
  const order = random.shuffle(facts);
  const gaps = order.map((_, at) => at).slice(1);
  const cuts = random.sample(gaps, Math.max(0, count - 1)).toSorted((left, right) => left - right);
  let from = 0;
  return frame.replaceAll(slot, (_, form: Form | 'sentences') => {
    const to = cuts.shift() ?? order.length;
    const said = order
      .slice(from, to)
      .toSorted((left, right) => (form === 'verbs' ? goodsLast(left, right) : 0))
      .map((fact) => say(random, clerk, fact, form === 'sentences' ? 'clauses' : form, values));
    from = to;
    if (form === 'phrases') return said.join(', ');
    if (form === 'clauses') return said.join('; ');
    return form === 'verbs' ? listOf(said) : said.map(sentence).join(' ');
  });
}

/** "And", which stands between verbs, might be taken for a part of the goods before it. */
function goodsLast(left: Fact, right: Fact): number {
  return Number(left === 'goods') - Number(right === 'goods');
}

function say(random: Random, clerk: Clerk, fact: Fact, form: Form, values: Values): string {
  return fillIn(drawWording(random, clerk.clauses.get(fact)?.[form] ?? []), values);
}

function daysBefore(day: string, count: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() - count);
  return date.toISOString().slice(0, 10);
}

function fillRemark(
  random: Random,
  remark: string,
  { idler, other, hand }: Clerk,
  { stock, unused }: Depot,
): string {
  return fillIn(remark, {
    idler: idler.name,
    other: other.name,
    home: idler.home,
    few: random.int(2, 9),
    some: random.int(3, 40),
    month: random.pick(months),
    stuff: random.pick(random.pick([...stock, ...unused]).phrases),
    mass: hand.weight(random.int(12, 90)),
    date: hand.day(drawDay(random)),
  });
}
