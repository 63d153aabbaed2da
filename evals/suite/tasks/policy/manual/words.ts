/** Word banks of the grammar. Long lists, so that two manuals share few sentences. */

const termAdjectives = [
  'amber',
  'settled',
  'guarded',
  'plain',
  'northern',
  'early',
  'fragile',
  'double',
  'quiet',
  'open',
  'tied',
  'grey',
  'senior',
  'split',
  'marked',
  'reserved',
  'narrow',
  'prime',
  'loose',
  'warm',
  'minor',
  'steady',
  'bonded',
  'light',
  'sealed',
  'listed',
  'outer',
  'blue',
  'folded',
  'regular',
  'trusted',
  'mixed',
  'rapid',
  'silent',
  'coastal',
  'major',
];

/** Words that a company uses for the same thing. */
const lexicon: Readonly<Record<string, readonly string[]>> = {
  customer: ['customer', 'client', 'buyer', 'account holder'],
  goods: ['goods', 'consignment', 'articles', 'shipment', 'merchandise', 'parcels'],
  order: ['order', 'purchase', 'sale'],
  payback: ['paid back', 'refunded', 'returned to the payer', 'credited', 'reimbursed'],
  claim: ['claim', 'spending claim', 'refund claim', 'cost claim'],
  staff: ['member of staff', 'colleague', 'employee'],
  request: ['request', 'application', 'wish'],
  team: ['team', 'unit', 'department'],
};

const rootLeads = [
  '{E}.',
  'As a rule, {e}.',
  'In general, {e}.',
  'Unless something else is laid down, {e}.',
  '{E}; exceptions are laid down elsewhere.',
  'Where nothing else applies, {e}.',
  'The starting point is this: {e}.',
  'For the ordinary case, {e}.',
  'Barring an exception, {e}.',
  'If no other clause is met, {e}.',
  'The normal course is that {e}.',
  'Absent anything more specific, {e}.',
];

const exceptionForms = [
  'By way of exception to {ref}, {e} where {c}.',
  'Notwithstanding {ref}, {e} if {c}.',
  'If {c}, then, unlike under {ref}, {e}.',
  '{Ref} gives way where {c}: {e}.',
  'Where {c}, {ref} is not followed; {e}.',
  'An exception to {ref}: {e}, provided that {c}.',
  '{E} when {c}. This departs from {ref}.',
  'Contrary to {ref}, {e} in every case in which {c}.',
  'In so far as {c}, {e} and {ref} is set aside.',
  'Once {c}, {e}. That is an exception to {ref}.',
  'As an exception from {ref} it is laid down that {e} whenever {c}.',
  '{Ref} does not settle the matter if {c}; instead {e}.',
  'Given that {c}, {e}, regardless of {ref}.',
  'Cases in which {c} are taken out of {ref}. For them {e}.',
  'Should it be that {c}, then {e}; {ref} stands for all others.',
  '{Ref} yields to the following: {e} as soon as {c}.',
];

const andForms = [
  '{a} and {b}',
  '{a} and, in addition, {b}',
  '{a}, and moreover {b}',
  'both {a} and {b}',
  '{a} while {b}',
  '{a} and at the same time {b}',
];

const termForms = [
  'We speak of {t} where {c}.',
  'The words "{t}" mean a case in which {c}.',
  'It is a matter of {t} if {c}.',
  'A case counts as {t} when {c}.',
  '"{t}" in this manual means that {c}.',
  'What is called {t} here is a case where {c}.',
  'For the purposes of all chapters, {t} is present if {c}.',
  '"{t}" stands for the situation that {c}.',
];

const termUnless = [
  'It is not one if {c}.',
  'This does not hold where {c}.',
  'Left out are cases in which {c}.',
  'If {c}, however, the word does not apply.',
  'The word is not used where {c}.',
];

const termHolds = [
  'the case is {t}',
  'it is a matter of {t}',
  'there is a case of {t}',
  'the case counts as {t}',
  '{t} is present',
];
const termFails = [
  'the case is not {t}',
  'it is no matter of {t}',
  'there is no case of {t}',
  'the case does not count as {t}',
  '{t} is absent',
];

const amendStarts = ['From {d} on', 'With effect from {d}', 'For every case from {d} on'];
const replaceForms = ['{s}, the result in {ref} is replaced: {e}. Its exceptions stay as they are.'];
const suspendForms = ['{s}, {ref} is suspended, with everything that builds on it.'];
const addForms = ['{s}, {ref} has one more exception: where {c}, {e}.'];

/** How a clause is named: by its number, as the root of its question, or by what it is about. */
const numberRefs = ['clause {n}', 'number {n}', 'what {n} says', 'paragraph {n}'];
const rootRefs = ['the general rule on {s}', 'what generally holds for {s}'];
const subjectRefs = ['the rule on {s} for the case that {c}', 'the clause on {s} that applies where {c}'];

const bodies = [
  'the auditor',
  'the works council',
  'the board',
  'the insurer',
  'the owner',
  'the tax adviser',
  'the quality circle',
  'the bank',
  'our lawyer',
  'the staff meeting',
  'the safety officer',
  'the chamber of trade',
];
const occasions = [
  'after the move to the new hall',
  'when the second shift began',
  'after a long winter',
  'in the course of the merger',
  'after the flood in the cellar',
  'when the old ledger was closed',
  'following the review of the year before',
  'at the time of the rail strike',
  'after two quiet quarters',
  'when the export desk was founded',
  'on the suggestion of a trainee',
  'in memory of an expensive mistake',
  'after the fair',
  'at the end of a long debate',
];
const verbs = [
  'asked for this',
  'agreed to this',
  'was told of this',
  'has read this',
  'went through this line by line',
  'took note of this',
  'had no objection',
  'wished it to be written down',
  'praised the brevity of this',
  'wanted it shorter',
];
const tails = [
  'Nobody has regretted it.',
  'It has worked well.',
  'New colleagues tend to overlook it.',
  'It is often asked about.',
  'The wording is older than it looks.',
  'It is shorter than it used to be.',
  'An example hangs in the corridor.',
  'The archive has the minutes.',
  'The matter is of some age.',
  'The translation is on file.',
];
/** Remarks without any effect, put together from parts. */
const remarkParts = { bodies, occasions, verbs, tails };

const houseTopics = [
  'the coffee corner',
  'the bicycle shed',
  'the meeting rooms',
  'the post room',
  'the plants on the second floor',
  'the lift',
  'visitors in the workshop',
  'the lost property box',
  'the quiet room',
  'the car park',
  'the roof terrace',
  'the canteen',
  'the printer by the stairs',
  'the notice board',
  'keys and badges',
  'the first-aid cupboard',
  'the library shelf',
  'the loading ramp',
];
const houseForms = [
  '{T} is looked after by turns; the list hangs beside the door.',
  'Whoever uses {t} leaves it as they would like to find it.',
  '{T} closes when the last person leaves and opens with the first.',
  'Questions about {t} go to the front desk, which knows the answer or somebody who does.',
  '{T} has been in its present place since {y} and stays there until further notice.',
  'Suggestions about {t} are welcome in writing and are read once a quarter.',
  'For {t} there is a small fund of {n} EUR a year, kept by the front desk.',
  'Guests may use {t} in company of somebody from the house.',
  'Repairs of {t} are reported on the green form, of which {n} copies lie ready.',
  '{T} was chosen by a vote of {n} to {m} in {y}.',
];

type Forms = readonly string[];

export interface Words {
  readonly termAdjectives: Forms;
  /** By the word in braces. */
  readonly lexicon: Readonly<Record<string, Forms>>;
  readonly rootLeads: Forms;
  readonly exceptionForms: Forms;
  readonly andForms: Forms;
  readonly termForms: Forms;
  readonly termUnless: Forms;
  readonly termHolds: Forms;
  readonly termFails: Forms;
  readonly amendStarts: Forms;
  readonly replaceForms: Forms;
  readonly suspendForms: Forms;
  readonly addForms: Forms;
  readonly numberRefs: Forms;
  readonly rootRefs: Forms;
  readonly subjectRefs: Forms;
  readonly remarkParts: {
    readonly bodies: Forms;
    readonly occasions: Forms;
    readonly verbs: Forms;
    readonly tails: Forms;
  };
  readonly houseTopics: Forms;
  readonly houseForms: Forms;
}

export const officeWords: Words = {
  termAdjectives,
  lexicon,
  rootLeads,
  exceptionForms,
  andForms,
  termForms,
  termUnless,
  termHolds,
  termFails,
  amendStarts,
  replaceForms,
  suspendForms,
  addForms,
  numberRefs,
  rootRefs,
  subjectRefs,
  remarkParts,
  houseTopics,
  houseForms,
};
