/**
 * A pack of data: the words and rules of an office that only this hub has. Its manuals are those of its own policy kinds
 * and of the weeks of agent runs.
 */
import { type Static, Type } from 'typebox';
import { compileSchema } from '#runtime/compile-schema.ts';
import { chapterSpecs, families } from '../../../week/families/families.ts';
import type { PolicySpec } from '../../../week/manual/rules.ts';
import type { Office } from '../../../week/office.ts';
import { createRandom } from '../../random.ts';
import { desksOf } from '../../tasks/policy/desk.ts';
import { policyKinds } from '../../tasks/policy/requests.ts';
import type { Category } from '../../task.ts';
import { drawChapter, newBank } from './draw-rules.ts';
import { drawWords } from './draw-words.ts';

const officePackFormat = 'agent-hub/office-pack/1';

const text = Type.String({ minLength: 1, maxLength: 400 });
const texts = Type.Array(text, { minItems: 1, maxItems: 60 });
const name = Type.String({ pattern: '^[a-z][a-z_]{0,31}$' });
const strict = { additionalProperties: false } as const;
const outcome = Type.Union([Type.Number(), text]);

const Words = Type.Object(
  {
    termAdjectives: texts,
    lexicon: Type.Record(Type.String(), texts),
    rootLeads: texts,
    exceptionForms: texts,
    andForms: texts,
    termForms: texts,
    termUnless: texts,
    termHolds: texts,
    termFails: texts,
    amendStarts: texts,
    replaceForms: texts,
    suspendForms: texts,
    addForms: texts,
    numberRefs: texts,
    rootRefs: texts,
    subjectRefs: texts,
    remarkParts: Type.Object({ bodies: texts, occasions: texts, verbs: texts, tails: texts }, strict),
    houseTopics: texts,
    houseForms: texts,
  },
  strict,
);

const Attribute = Type.Union([
  Type.Object(
    {
      kind: Type.Literal('number'),
      noun: text,
      min: Type.Number(),
      max: Type.Number(),
      step: Type.Number({ exclusiveMinimum: 0 }),
      limits: Type.Array(Type.Number(), { minItems: 1, maxItems: 20 }),
      margin: Type.Number({ minimum: 0 }),
      over: texts,
      under: texts,
    },
    strict,
  ),
  Type.Object(
    {
      kind: Type.Literal('choice'),
      noun: text,
      values: texts,
      is: texts,
      words: Type.Optional(Type.Record(Type.String(), text)),
      department: Type.Optional(Type.Literal(true)),
    },
    strict,
  ),
]);

const Policy = Type.Object(
  {
    name,
    topic: text,
    titles: texts,
    attributes: Type.Record(name, Attribute),
    terms: Type.Array(Type.Object({ names: texts, attributes: Type.Array(name, { minItems: 2 }) }, strict)),
    questions: Type.Array(
      Type.Object(
        {
          name,
          subject: text,
          values: Type.Array(outcome, { minItems: 2, maxItems: 20 }),
          effects: texts,
          words: Type.Optional(Type.Record(Type.String(), text)),
          attributes: Type.Optional(Type.Array(name, { minItems: 1 })),
        },
        strict,
      ),
    ),
    readings: Type.Array(texts),
  },
  strict,
);

const Place = Type.Union([
  Type.Object(
    { in: Type.Union([Type.Literal('entry'), Type.Literal('party'), Type.Literal('years')]), field: name },
    strict,
  ),
  Type.Object(
    { in: Type.Literal('days'), field: name, sign: Type.Union([Type.Literal(1), Type.Literal(-1)]) },
    strict,
  ),
  Type.Object({ in: Type.Literal('difference'), of: name, less: name }, strict),
  Type.Object({ in: Type.Literal('reply'), replies: Type.Record(Type.String(), text) }, strict),
  Type.Object({ in: Type.Literal('note'), sentences: Type.Record(Type.String(), texts) }, strict),
]);

const OfficePackSchema = Type.Object(
  {
    format: Type.Literal(officePackFormat),
    words: Words,
    chapters: Type.Array(
      Type.Object({ policy: Policy, places: Type.Union([Type.Null(), Type.Record(name, Place)]) }, strict),
      { minItems: 1, maxItems: 40 },
    ),
  },
  strict,
);

export type OfficePack = Static<typeof OfficePackSchema>;

/** @param secret known to the hub alone: the same one gives the same pack */
export function drawOfficePack(secret: string): OfficePack {
  const bank = newBank(createRandom(secret, 'office-pack/facts'));
  const chapters = chapterSpecs.map(({ policy }) => {
    const places = families.find((family) => family.policy === policy.name)?.places ?? null;
    return drawChapter(createRandom(secret, `office-pack/rules/${policy.name}`), bank, policy, places);
  });
  const drawn = {
    format: officePackFormat,
    words: drawWords(createRandom(secret, 'office-pack/words')),
    chapters,
  };
  // Only what a file would hold is kept.
  return readOfficePack(JSON.stringify(drawn));
}

/** @throws RangeError that says what is wrong with the file */
export function readOfficePack(json: string): OfficePack {
  let data: unknown;
  try {
    data = JSON.parse(json);
  } catch {
    throw new RangeError('it is no JSON.');
  }
  const schema = compileSchema(OfficePackSchema);
  if (!schema.Check(data)) {
    const [first] = schema.Errors(data);
    throw new RangeError(`${first?.instancePath || 'its value'} ${first?.message ?? 'is wrong'}.`);
  }
  const fault = findFault(data);
  if (fault !== null) throw new RangeError(fault);
  return data;
}

/** What the schema does not say: the chapters, questions and facts must fit the tools of an office. */
function findFault({ chapters }: OfficePack): string | null {
  for (const { policy } of chapterSpecs) {
    const [own, second] = chapters.filter((chapter) => chapter.policy.name === policy.name);
    if (own === undefined || second !== undefined) return `it needs one chapter \`${policy.name}\`.`;
    const { attributes, questions, terms } = own.policy;
    const asked = questions.map((question) => question.name).join();
    if (asked !== policy.questions.map((question) => question.name).join())
      return `the chapter \`${policy.name}\` must have the questions ${policy.questions.map((question) => question.name).join(', ')}.`;
    const used = [...terms, ...questions].flatMap((one) => one.attributes ?? []);
    const unknown = used.find((one) => attributes[one] === undefined);
    if (unknown !== undefined) return `the chapter \`${policy.name}\` has no attribute \`${unknown}\`.`;
    const family = families.find((one) => one.policy === policy.name);
    if ((own.places === null) !== (family?.ruledBy === undefined))
      return `the chapter \`${policy.name}\` has ${own.places === null ? 'no places' : 'places, which it cannot change'}.`;
    const homeless = Object.keys(own.places === null ? {} : attributes).find(
      (one) => own.places?.[one] === undefined,
    );
    if (homeless !== undefined) return `the chapter \`${policy.name}\` has no place for \`${homeless}\`.`;
  }
  return null;
}

export function officeOf({ words, chapters }: OfficePack): Office {
  const specOf = (policy: string) => chapters.find((chapter) => chapter.policy.name === policy);
  return {
    words,
    chapters: chapterSpecs.map(({ policy, owner }) => ({
      policy: asSpec(specOf(policy.name)?.policy) ?? policy,
      owner,
    })),
    families: families.map((family) => {
      const own = specOf(family.policy);
      if (own === undefined || own.places === null || family.ruledBy === undefined) return family;
      return family.ruledBy(asSpec(own.policy) ?? own.policy, own.places);
    }),
  };
}

/** The kinds of the policy category with manuals of the office. */
export function policyCategoryOf({ words, chapters }: OfficePack): Category {
  return {
    name: 'policy',
    description: 'Deciding requests by manuals whose words and rules only this hub has.',
    kinds: policyKinds(
      desksOf(
        words,
        chapters.map(({ policy }) => policy),
      ),
      'private-',
    ),
  };
}

/** The schema has the same shape. */
function asSpec(policy: PolicySpec | undefined): PolicySpec | undefined {
  return policy;
}
