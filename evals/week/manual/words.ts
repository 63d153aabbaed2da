/** Word banks of the grammar. Long lists, so that two manuals share few sentences. */

/** A form for each line. */
const lines = (text: string): readonly string[] => text.trim().split(/\n\s*/);
const listed = (text: string): readonly string[] => text.split(', ');

export const termAdjectives = listed(
  'amber, settled, guarded, plain, northern, early, fragile, double, quiet, open, tied, grey, senior, split, marked, reserved, narrow, prime, loose, warm, minor, steady, bonded, light, sealed, listed, outer, blue, folded, regular, trusted, mixed, rapid, silent, coastal, major',
);

/** Words that a company uses for the same thing, by the word in braces. */
export const lexicon: Readonly<Record<string, readonly string[]>> = {
  customer: ['customer', 'client', 'buyer', 'account holder'],
  goods: ['goods', 'consignment', 'articles', 'shipment', 'merchandise', 'parcels'],
  order: ['order', 'purchase', 'sale'],
  payback: ['paid back', 'refunded', 'credited', 'reimbursed'],
  claim: ['claim', 'spending claim', 'refund claim', 'cost claim'],
  staff: ['member of staff', 'colleague', 'employee'],
  request: ['request', 'application', 'wish'],
  team: ['team', 'unit', 'department'],
};

export const rootLeads = lines(`
  {E}.
  As a rule, {e}.
  In general, {e}.
  Unless something else is laid down, {e}.
  {E}; exceptions are laid down elsewhere.
  Where nothing else applies, {e}.
  The starting point is this: {e}.
  Barring an exception, {e}.
`);
export const exceptionForms = lines(`
  By way of exception to {ref}, {e} where {c}.
  Notwithstanding {ref}, {e} if {c}.
  If {c}, then, unlike under {ref}, {e}.
  {Ref} gives way where {c}: {e}.
  Where {c}, {ref} is not followed; {e}.
  An exception to {ref}: {e}, provided that {c}.
  {E} when {c}. This departs from {ref}.
  Contrary to {ref}, {e} in every case in which {c}.
  In so far as {c}, {e} and {ref} is set aside.
  {Ref} does not settle the matter if {c}; instead {e}.
  Given that {c}, {e}, regardless of {ref}.
  Cases in which {c} are taken out of {ref}. For them {e}.
`);
export const andForms = lines(`
  {a} and {b}
  {a} and, in addition, {b}
  {a}, and moreover {b}
  {a} while {b}
  {a} and at the same time {b}
`);
export const termForms = lines(`
  We speak of {t} where {c}.
  The words "{t}" mean a case in which {c}.
  It is a matter of {t} if {c}.
  A case counts as {t} when {c}.
  "{T}" in this manual means that {c}.
  For the purposes of all chapters, {t} is present if {c}.
`);
export const termUnless = lines(`
  It is not one if {c}.
  This does not hold where {c}.
  Left out are cases in which {c}.
  If {c}, however, the word does not apply.
`);
export const termHolds = lines(`
  the case is {t}
  it is a matter of {t}
  there is a case of {t}
  the case counts as {t}
`);
export const termFails = lines(`
  the case is not {t}
  it is no matter of {t}
  there is no case of {t}
  the case does not count as {t}
`);

export const amendStarts = ['From {d} on', 'With effect from {d}', 'For every case from {d} on'];
export const replaceForm = '{s}, the result in {ref} is replaced: {e}. Its exceptions stay as they are.';
export const suspendForm = '{s}, {ref} is suspended, with everything that builds on it.';
export const addForm = '{s}, {ref} has one more exception: where {c}, {e}.';

/** How a clause is named: by its number, as the root of its question, or by what it is about. */
export const numberRefs = ['clause {n}', 'number {n}', 'what {n} says', 'paragraph {n}'];
export const rootRefs = ['the general rule on {s}', 'what generally holds for {s}'];
export const subjectRefs = [
  'the rule on {s} for the case that {c}',
  'the clause on {s} that applies where {c}',
];

/** Remarks without any effect, put together from parts. */
export const remarkParts = {
  bodies: listed(
    'the auditor, the works council, the board, the insurer, the owner, the tax adviser, the bank, our lawyer, the staff meeting, the safety officer',
  ),
  occasions: listed(
    'after the move to the new hall, when the second shift began, after a long winter, in the course of the merger, after the flood in the cellar, when the old ledger was closed, at the time of the rail strike, after two quiet quarters, on the suggestion of a trainee, after the fair',
  ),
  verbs: listed(
    'asked for this, agreed to this, was told of this, has read this, went through this line by line, took note of this, had no objection, wanted it shorter',
  ),
  tails: lines(`
    Nobody has regretted it.
    It has worked well.
    New colleagues tend to overlook it.
    It is often asked about.
    An example hangs in the corridor.
    The archive has the minutes.
  `),
};

export const houseTopics = listed(
  'the coffee corner, the bicycle shed, the meeting rooms, the post room, the lift, the lost property box, the quiet room, the car park, the roof terrace, the canteen, the notice board, the first-aid cupboard, the library shelf, the loading ramp',
);
export const houseForms = lines(`
  {T} is looked after by turns; the list hangs beside the door.
  Whoever uses {t} leaves it as they would like to find it.
  {T} closes when the last person leaves and opens with the first.
  Questions about {t} go to the front desk.
  {T} has been in its present place since {y} and stays there until further notice.
  For {t} there is a small fund of {n} EUR a year, kept by the front desk.
  {T} was chosen by a vote of {n} to {m} in {y}.
`);
