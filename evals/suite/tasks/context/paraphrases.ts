/**
 * Facts about people in two wordings that share no content word: one for the text, one for the question. Finding a fact
 * therefore requires its meaning; searching for the words of the question finds nothing.
 */

/** Something true of one person. */
export interface Trait {
  /** What the text says, after the name. */
  readonly text: readonly string[];
  /** What the question says, after "who". */
  readonly question: string;
}

export const trades: readonly Trait[] = [
  {
    text: ['kneads dough at three every morning', 'sells loaves warm from the oven'],
    question: 'is a baker',
  },
  { text: ['hammers glowing iron on an anvil', 'nails shoes to hooves'], question: 'is a blacksmith' },
  {
    text: ['fills cavities and pulls molars', 'spends the day looking into open mouths'],
    question: 'is a dentist',
  },
  { text: ['passes sentence on thieves', 'wears a wig and a robe on the bench'], question: 'is a judge' },
  {
    text: ['lands small planes on short runways', 'sits in a cockpit most of the week'],
    question: 'is a pilot',
  },
  { text: ['looks after forty hives', 'calms swarms with a little smoke'], question: 'is a beekeeper' },
  {
    text: ['writes due dates on slips and shelves novels', 'hushes people between rows of bookshelves'],
    question: 'is a librarian',
  },
  { text: ['puts new soles on worn boots', 'glues heels back on'], question: 'is a cobbler' },
  {
    text: ['has helped hundreds of babies into the world', 'is called at night when labour starts'],
    question: 'is a midwife',
  },
  { text: ['trims beards and shortens fringes', 'sweeps up locks of hair all day'], question: 'is a barber' },
  { text: ['arranges funerals', 'drives the hearse'], question: 'is an undertaker' },
  { text: ['maps stars through a large telescope', 'discovered two comets'], question: 'is an astronomer' },
  { text: ['prunes hedges and plants bulbs', 'mows the lawns of the villas'], question: 'is a gardener' },
  { text: ['cuts keys', 'is sent for when a door is jammed shut'], question: 'is a locksmith' },
  { text: ['grinds lenses', 'fits spectacles'], question: 'is an optician' },
  { text: ['measures customers for suits', 'takes in trousers'], question: 'is a tailor' },
  {
    text: ['treats lame cows and coughing dogs', 'gives injections to horses'],
    question: 'is a veterinarian',
  },
  { text: ['joints lamb and ties up roasts', 'stuffs sausages'], question: 'is a butcher' },
  {
    text: [
      'renders contracts from Finnish into Greek',
      'sits in a booth and repeats speeches in another language',
    ],
    question: 'is a translator',
  },
  {
    text: ['keeps the lamp burning that warns ships off the rocks', 'lives in a round tower on the cliff'],
    question: 'minds a lighthouse',
  },
  { text: ['counts out pills', 'mixes ointments by prescription'], question: 'is a pharmacist' },
  { text: ['sets bricks in mortar', 'raises walls stone by stone'], question: 'is a mason' },
  { text: ['repairs leaking pipes', 'unblocks drains'], question: 'is a plumber' },
  { text: ['takes out appendixes', 'holds a scalpel without trembling'], question: 'is a surgeon' },
];

export const quirks: readonly Trait[] = [
  { text: ['never touches meat or fish', 'leaves the ham on the plate'], question: 'is a vegetarian' },
  { text: ['lies awake most nights until dawn', 'counts sheep in vain'], question: 'suffers from insomnia' },
  {
    text: [
      'grips a quill on the side that most people do not',
      'smudges ink because the writing palm drags across it',
    ],
    question: 'is left-handed',
  },
  {
    text: ['came into the world ten minutes after a brother', 'shares a birthday and a face with a sister'],
    question: 'is a twin',
  },
  { text: ['cannot tell red from green', 'needs help to pick matching socks'], question: 'is colour-blind' },
  {
    text: ['is fluent in seven languages', 'reads newspapers from nine countries in the original'],
    question: 'is a polyglot',
  },
  {
    text: ['runs forty-two kilometres every spring', 'wears out four pairs of trainers a year'],
    question: 'is a marathoner',
  },
  {
    text: ['has not tasted wine or beer in twenty years', 'orders water in the pub'],
    question: 'is teetotal',
  },
  {
    text: ['will not climb even a short ladder', 'turns pale on balconies'],
    question: 'is afraid of heights',
  },
  {
    text: ['keeps albums of old postage', 'owns a misprinted penny black'],
    question: 'is a stamp collector',
  },
  {
    text: ['has not needed a comb for years', 'polishes the top of the head with a cloth'],
    question: 'is bald',
  },
  {
    text: ['buried a spouse last winter', 'has worn black since the wedding ring came off'],
    question: 'is widowed',
  },
  { text: ['follows talk by watching lips', 'turns the hearing aid off for a nap'], question: 'is deaf' },
  { text: ['has to stoop under most doorways', 'sees over every crowd'], question: 'is very tall' },
  {
    text: ['owns three mansions and a yacht', 'lights cigars with banknotes'],
    question: 'is extremely rich',
  },
  {
    text: ['announces mate in five without looking at the board', 'opens with the Sicilian'],
    question: 'plays chess well',
  },
  {
    text: ['sneezes whenever a kitten is near', 'gets a rash from anything that purrs'],
    question: 'is allergic to cats',
  },
  {
    text: ['has a daughter with two small boys of her own', 'knits for the children of a son'],
    question: 'is a grandparent',
  },
  { text: ['is the bass of the choir', 'practises arias in the bath'], question: 'sings' },
  {
    text: ['spent six years behind bars', 'once had a number instead of a name and a cell with a view'],
    question: 'has been in prison',
  },
];

/** A person's one counterpart. `{a}` is the person, `{b}` the counterpart. */
export interface Relation {
  readonly text: readonly string[];
  /** With `{x}` for the person. */
  readonly question: string;
}

export const bonds: readonly Relation[] = [
  {
    text: ['{a} served an apprenticeship under {b}.', '{b} trained {a} for years.'],
    question: 'the teacher of {x}',
  },
  {
    text: ['{a} pays rent to {b} on the first of the month.', 'The roof over {a} belongs to {b}.'],
    question: 'the landlord of {x}',
  },
  { text: ['{a} takes orders from {b}.', '{b} signs the pay slips of {a}.'], question: 'the boss of {x}' },
  {
    text: ['{a} borrowed a large sum from {b}.', '{b} still waits for {a} to return the money.'],
    question: 'the creditor of {x}',
  },
  {
    text: ['The will of {a} leaves everything to {b}.', 'When {a} dies, the house will go to {b}.'],
    question: 'the heir of {x}',
  },
  {
    text: ['{b} once dragged {a} out of a burning barn.', '{b} pulled {a} from the icy river.'],
    question: 'the rescuer of {x}',
  },
  { text: ['{a} cannot stand {b}.', '{a} spits at the mention of {b}.'], question: 'the enemy of {x}' },
  {
    text: ['{b} held {a} over the font at the christening.', '{b} spoke the vows at the baptism of {a}.'],
    question: 'the godparent of {x}',
  },
  {
    text: ['{b} told the police where {a} was hiding.', '{b} sold the secrets of {a} to a newspaper.'],
    question: 'the betrayer of {x}',
  },
  {
    text: ['{a} sends long letters to {b}.', 'Every Sunday {a} writes four pages to {b}.'],
    question: 'the correspondent of {x}',
  },
];

/** A person's place, in the town that `{b}` names. */
export const places: readonly Relation[] = [
  {
    text: ['{a} drew a first breath in {b}.', 'The cradle of {a} stood in {b}.'],
    question: 'the birthplace of {x}',
  },
  {
    text: ['The postman finds {a} in {b}.', '{a} has furniture and a front door in {b}.'],
    question: 'the home of {x}',
  },
  {
    text: ['{a} wants to be laid to rest in {b}.', 'A plot in the churchyard of {b} is reserved for {a}.'],
    question: 'the future grave of {x}',
  },
];
