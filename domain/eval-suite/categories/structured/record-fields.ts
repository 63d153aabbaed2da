/** The fields that an invented record can have. */
import type { JsonValue } from '../../graders/read-json.ts';
import { inventName, inventNames, inventNoun } from '../../language/invented-word.ts';
import type { Random } from '../../random.ts';

/** `makeValue` makes the value for the record called `subject`, and a sentence that states it. */
export interface RecordField {
  readonly key: string;
  readonly schema: { readonly [key: string]: JsonValue };
  makeValue(random: Random, subject: string): { readonly value: JsonValue; readonly sentence: string };
}

const monthNames =
  'January February March April May June July August September October November December'.split(' ');

/** All kinds of fields, with random keys and enumerations. */
export function makeRecordFields(random: Random): readonly RecordField[] {
  return [
    codeField(random),
    weightField(random),
    stateField(random),
    flagField(random),
    dateField(random),
    routeField(random),
    keeperField(random),
    inspectorField(random),
    timeField(random),
  ];
}

function codeField(random: Random): RecordField {
  return {
    key: random.pick(['code', 'mark', 'register_code']),
    schema: { type: 'string', pattern: '^[A-Z]{3}-[0-9]{4}$', description: 'the code as stated' },
    makeValue(random, subject) {
      const value = `${random.text('BCDFGHKLMNPRSTVWXZ', 3)}-${random.text('0123456789', 4)}`;
      return {
        value,
        sentence: random.pick([
          `${subject} carries the code ${value}.`,
          `The code of ${subject} is ${value}.`,
        ]),
      };
    },
  };
}

function weightField(random: Random): RecordField {
  return {
    key: random.pick(['weight_g', 'mass_g', 'load_g']),
    schema: { type: 'integer', minimum: 1, description: 'weight in whole grams' },
    makeValue(random, subject) {
      const kilograms = random.int(2, 48);
      const grams = random.int(10, 990);
      return {
        value: kilograms * 1_000 + grams,
        sentence: random.pick([
          `${subject} weighs ${kilograms} kg and ${grams} g.`,
          `The scales show ${kilograms} kg ${grams} g for ${subject}.`,
        ]),
      };
    },
  };
}

function stateField(random: Random): RecordField {
  const states = random.sample(['sealed', 'open', 'lost', 'on_loan', 'in_repair', 'sold'], 4);
  return {
    key: random.pick(['state', 'condition', 'standing']),
    schema: { type: 'string', enum: states, description: 'its present state' },
    makeValue(random, subject) {
      const value = random.pick(states);
      return {
        value,
        sentence: `${subject} is ${random.pick(['at present', 'now', 'currently'])} ${value.replace('_', ' ')}.`,
      };
    },
  };
}

function flagField(random: Random): RecordField {
  const key = random.pick(['fragile', 'heated', 'insured']);
  return {
    key,
    schema: { type: 'boolean', description: `whether it is ${key}` },
    makeValue(random, subject) {
      const value = random.chance(0.5);
      return {
        value,
        sentence: value ? `${subject} counts as ${key}.` : `${subject} does not count as ${key}.`,
      };
    },
  };
}

function dateField(random: Random): RecordField {
  return {
    key: random.pick(['received_on', 'arrival', 'entered_on']),
    schema: {
      type: 'string',
      pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
      description: 'day of arrival, YYYY-MM-DD',
    },
    makeValue(random, subject) {
      const [year, month, day] = [random.int(2_031, 2_089), random.int(1, 12), random.int(1, 28)];
      const value = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
      const spoken = `${day} ${monthNames[month - 1] ?? ''} ${year}`;
      return {
        value,
        sentence: random.pick([`${subject} arrived on ${spoken}.`, `On ${spoken}, ${subject} arrived.`]),
      };
    },
  };
}

function routeField(random: Random): RecordField {
  return {
    key: random.pick(['route', 'stops', 'stations']),
    schema: {
      type: 'array',
      items: { type: 'string' },
      minItems: 2,
      uniqueItems: true,
      description: 'places on its way, in order',
    },
    makeValue(random, subject) {
      const [first = '', ...others] = inventNames(random, random.int(2, 4));
      return {
        value: [first, ...others],
        sentence: `Its way took ${subject} from ${first} to ${others.join(', then to ')}.`,
      };
    },
  };
}

function keeperField(random: Random): RecordField {
  return {
    key: random.pick(['keeper', 'owner', 'guardian']),
    schema: {
      type: 'object',
      properties: { name: { type: 'string' }, years: { type: 'integer', minimum: 0 } },
      required: ['name', 'years'],
      additionalProperties: false,
      description: 'who looks after it, and for how many years already',
    },
    makeValue(random, subject) {
      const name = inventName(random);
      const years = random.int(1, 39);
      return { value: { name, years }, sentence: `${name} has looked after ${subject} for ${years} years.` };
    },
  };
}

function inspectorField(random: Random): RecordField {
  return {
    key: random.pick(['inspector', 'examiner', 'auditor']),
    schema: {
      type: ['string', 'null'],
      description: 'name of the person appointed to inspect it, null if there is none',
    },
    makeValue(random, subject) {
      if (random.chance(0.5))
        return { value: null, sentence: `Nobody has been appointed to inspect ${subject}.` };
      const value = inventName(random);
      return { value, sentence: `${value} has been appointed to inspect ${subject}.` };
    },
  };
}

function timeField(random: Random): RecordField {
  const word = inventNoun(random);
  return {
    key: `${word}_minutes`,
    schema: { type: 'integer', minimum: 0, description: `length of its ${word}, in minutes` },
    makeValue(random, subject) {
      const hours = random.int(1, 9);
      const minutes = random.int(5, 55);
      return {
        value: hours * 60 + minutes,
        sentence: `The ${word} of ${subject} lasts ${hours} hours and ${minutes} minutes.`,
      };
    },
  };
}
