/** Draws the words of a private office: its sentences are put together from parts, in a choice that only its hub knows. */
import { publicWords, type Words } from '../../../week/manual/words.ts';
import { inventWords } from '../../language/invented-word.ts';
import type { Random } from '../../random.ts';

const conditions = [
  'where {c}',
  'if {c}',
  'when {c}',
  'in cases where {c}',
  'provided that {c}',
  'as long as {c}',
  'wherever {c}',
  'on condition that {c}',
  'in the event that {c}',
  'so far as {c}',
  'every time {c}',
  'assuming that {c}',
];
const departures = [
  'in derogation of {ref}',
  '{ref} notwithstanding',
  'in place of {ref}',
  'with {ref} set aside',
  'in deviation from {ref}',
  'unlike under {ref}',
  'other than under {ref}',
  'overriding {ref}',
  'without regard to {ref}',
  'by way of departure from {ref}',
  'to the exclusion of {ref}',
  'as an exception to {ref}',
];
const exceptions = [
  '{D}, {e} {k}.',
  '{K}, {e}, {d}.',
  '{E} {k}, {d}.',
  '{K}, {d}, {e}.',
  '{D}: {k}, {e}.',
  '{K}: {e} ({d}).',
  '{E}, {d}, {k}.',
];
const leads = [
  'as a starting point',
  'for want of anything else',
  'by default',
  'in the plain case',
  'where no exception bites',
  'to begin with',
  'failing all exceptions',
  'as a matter of course',
  'unless an exception is met',
  'for everything that is not excepted',
  'as the base line',
  'with exceptions left aside',
];
const roots = ['{L}, {e}.', '{E}, {l}.', '{L}: {e}.', '{L} it holds that {e}.'];

/** Whole forms, of which a hub has some. */
const banks = {
  andForms: [
    '{a}, and {b} as well',
    '{a} and likewise {b}',
    '{a} and {b} besides',
    '{a}, and also {b}',
    '{a} and, on top of that, {b}',
    'on the one hand {a} and on the other {b}',
    '{a} and {b} too',
    '{a} and further {b}',
  ],
  termForms: [
    'Whenever {c}, we have {t} before us.',
    'By {t} this manual means a case in which {c}.',
    '{T} is what a case is called if {c}.',
    'The name for a case where {c} is "{t}".',
    'If {c}, the case is known as {t}.',
    'A case in which {c} goes by the name of {t}.',
    'To be {t}, a case must be one in which {c}.',
    '{T}: a case where {c}.',
    'Read "{t}" as a case in which {c}.',
    'Cases where {c} bear the name of {t}.',
    'We have agreed to say {t} where {c}.',
    '{T} is at hand if {c}.',
  ],
  termUnless: [
    'Not so where {c}.',
    'The name falls away if {c}.',
    'Cases in which {c} do not bear it.',
    'It loses the name where {c}.',
    'That is otherwise where {c}.',
    'No case counts in which {c}.',
    'Where {c}, however, it is not one.',
    'This leaves out every case in which {c}.',
  ],
  termHolds: [
    'one has to do with {t}',
    'the case amounts to {t}',
    'this is {t}',
    'the case ranks as {t}',
    'what lies before us is {t}',
    'the case passes for {t}',
    'the description of {t} fits',
    'the case goes by the name of {t}',
    'we have {t} before us',
    'the case bears the name of {t}',
  ],
  termFails: [
    'one has not to do with {t}',
    'the case does not amount to {t}',
    'this is not {t}',
    'the case does not rank as {t}',
    'what lies before us is not {t}',
    'the case does not pass for {t}',
    'the description of {t} does not fit',
    'the case does not go by the name of {t}',
    'we do not have {t} before us',
    'the case does not bear the name of {t}',
  ],
  amendStarts: [
    'As of {d}',
    'Starting on {d}',
    'For cases of {d} and later',
    'Beginning with {d}',
    'Counting from {d}',
    'Once it is {d}',
  ],
  replaceForms: [
    '{s}, {ref} gives another result: {e}. Exceptions to it remain.',
    '{s}, the result under {ref} is a new one: {e}. What departs from it stays in force.',
    '{s}, what {ref} results in is exchanged: {e}; its exceptions are untouched.',
    '{s}, read {ref} with this result: {e}. Nothing changes for its exceptions.',
  ],
  suspendForms: [
    '{s}, {ref} is suspended together with all exceptions to it.',
    '{s}, {ref} rests, and so does whatever departs from it.',
    '{s}, neither {ref} nor any exception to it is applied.',
    '{s}, {ref} counts as not printed, and its exceptions with it.',
  ],
  addForms: [
    '{s}, there is a further exception to {ref}: where {c}, {e}.',
    '{s}, {ref} yields in one more case: if {c}, {e}.',
    '{s}, add this exception to {ref}: {e} where {c}.',
    '{s}, one exception more is made to {ref}: {e} if {c}.',
  ],
  numberRefs: [
    'section {n}',
    'item {n}',
    'entry {n}',
    'the text under {n}',
    'point {n}',
    'rule {n}',
    'no. {n}',
  ],
  rootRefs: [
    'the base rule for {s}',
    'the default on {s}',
    'the opening rule on {s}',
    'what holds by default for {s}',
  ],
  subjectRefs: [
    'the provision on {s} for cases in which {c}',
    'what is laid down for {s} where {c}',
    'the passage on {s} for when {c}',
    'the text on {s} that is about cases where {c}',
  ],
} as const;

const remarkBanks = {
  bodies: [
    'the founders',
    'the night porter',
    'the new owner',
    'the branch in the south',
    'the trade union',
    'the notary',
    'the county',
    'the old bookkeeper',
    'the committee',
    'the inspector',
  ],
  occasions: [
    'before the roof was mended',
    'in the year of the long strike',
    'when the scales were replaced',
    'after the visit of the minister',
    'at the second reading',
    'when the stairs were closed',
    'after the short summer',
    'during the stocktaking',
    'when the pond was drained',
    'in a letter that nobody has kept',
  ],
  verbs: [
    'put this on paper',
    'had this read aloud',
    'wanted this in bold',
    'let this pass',
    'shook hands on this',
    'found this clear',
    'copied this by hand',
    'signed this last',
    'asked twice about this',
    'laughed about this',
  ],
  tails: [
    'It has been so ever since.',
    'The ink has faded a little.',
    'Few remember why.',
    'A copy is in the drawer.',
    'It was longer once.',
    'The old hands know it by heart.',
    'It is read out every spring.',
    'Somebody underlined it.',
    'There is a drawing of it.',
    'It has outlived three managers.',
  ],
} as const;

const houseTopics = [
  'the weighbridge',
  'the courtyard',
  'the kettle',
  'the long table',
  'the cellar',
  'the tool wall',
  'the spare bicycle',
  'the boot room',
  'the old lift shaft',
  'the fish tank',
  'the archive cat',
  'the ladder',
  'the flagpole',
  'the piano',
];

/** @param random a stream that only the hub can repeat */
export function drawWords(random: Random): Words {
  const some = (bank: readonly string[], count: number) => random.sample(bank, Math.min(count, bank.length));
  return {
    termAdjectives: inventWords(random, 36, 2),
    lexicon: Object.fromEntries(
      Object.entries(publicWords.lexicon).map(([word, options]) => [word, some(options, 2)]),
    ),
    rootLeads: drawForms(random, 10, () => {
      const lead = random.pick(leads);
      return random.pick(roots).replace('{L}', capital(lead)).replace('{l}', lead);
    }),
    exceptionForms: drawForms(random, 14, () => {
      const [k, d] = [random.pick(conditions), random.pick(departures)];
      return random
        .pick(exceptions)
        .replace('{K}', capital(k))
        .replace('{k}', k)
        .replace('{D}', capital(d))
        .replace('{d}', d);
    }),
    andForms: ['{a} and {b}', ...some(banks.andForms, 4)],
    termForms: some(banks.termForms, 7),
    termUnless: some(banks.termUnless, 5),
    termHolds: some(banks.termHolds, 5),
    termFails: some(banks.termFails, 5),
    amendStarts: some(banks.amendStarts, 3),
    replaceForms: some(banks.replaceForms, 2),
    suspendForms: some(banks.suspendForms, 2),
    addForms: some(banks.addForms, 2),
    numberRefs: some(banks.numberRefs, 4),
    rootRefs: some(banks.rootRefs, 2),
    subjectRefs: some(banks.subjectRefs, 2),
    remarkParts: {
      bodies: some(remarkBanks.bodies, 8),
      occasions: some(remarkBanks.occasions, 8),
      verbs: some(remarkBanks.verbs, 8),
      tails: some(remarkBanks.tails, 8),
    },
    houseTopics: some(houseTopics, 12),
    houseForms: some(publicWords.houseForms, 8),
  };
}

function drawForms(random: Random, count: number, make: () => string): string[] {
  const forms = new Set<string>();
  // There are several times as many as are wanted.
  while (forms.size < count) forms.add(make());
  return random.shuffle([...forms]);
}

/** `{ref}` at the beginning of a sentence is written `{Ref}`. */
function capital(form: string): string {
  return form.startsWith('{')
    ? `{${form.charAt(1).toUpperCase()}${form.slice(2)}`
    : form.charAt(0).toUpperCase() + form.slice(1);
}
