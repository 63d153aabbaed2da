/**
 * Facts that records of a private office can have beside those that its tools need. Which of them a hub uses, where they
 * stand, and what they are called there is drawn from its secret.
 */
interface NumberFact {
  readonly noun: string;
  /** With the space before it; empty for a count. */
  readonly unit: string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

/** By the name of the field. */
export const numberFacts: Readonly<Record<string, NumberFact>> = {
  weight: { noun: 'the weight', unit: ' kg', min: 2, max: 900, step: 1 },
  distance: { noun: 'the distance', unit: ' km', min: 5, max: 1_200, step: 5 },
  humidity: { noun: 'the humidity', unit: ' %', min: 10, max: 95, step: 1 },
  height: { noun: 'the height', unit: ' cm', min: 10, max: 260, step: 1 },
  insured_value: { noun: 'the insured value', unit: ' EUR', min: 100, max: 9_000, step: 50 },
  deposit: { noun: 'the deposit', unit: ' EUR', min: 0, max: 1_500, step: 10 },
  signatures: { noun: 'the number of signatures', unit: '', min: 0, max: 14, step: 1 },
  reminders: { noun: 'the number of reminders', unit: '', min: 0, max: 14, step: 1 },
  stops: { noun: 'the number of stops', unit: '', min: 0, max: 16, step: 1 },
  waiting_hours: { noun: 'the waiting time', unit: ' hours', min: 0, max: 96, step: 1 },
  work_hours: { noun: 'the time of work', unit: ' hours', min: 2, max: 160, step: 1 },
  file_pages: { noun: 'the length of the file', unit: ' pages', min: 2, max: 240, step: 1 },
  check_points: { noun: 'the result of the check', unit: ' points', min: 0, max: 100, step: 1 },
  recycled: { noun: 'the share of recycled material', unit: ' %', min: 0, max: 100, step: 1 },
  earlier_cases: { noun: 'the number of earlier cases', unit: '', min: 0, max: 16, step: 1 },
  power: { noun: 'the rated power', unit: ' watts', min: 10, max: 3_000, step: 10 },
  contents: { noun: 'the contents', unit: ' litres', min: 2, max: 400, step: 1 },
  surface: { noun: 'the surface', unit: ' square metres', min: 4, max: 320, step: 1 },
  noise: { noun: 'the noise level', unit: ' decibels', min: 20, max: 110, step: 1 },
  users: { noun: 'the number of users', unit: '', min: 0, max: 60, step: 1 },
  cable: { noun: 'the length of the cable', unit: ' metres', min: 2, max: 180, step: 1 },
  credit_line: { noun: 'the credit line', unit: ' EUR', min: 200, max: 12_000, step: 100 },
  guarantee: { noun: 'the guarantee', unit: ' months', min: 0, max: 72, step: 1 },
  floors: { noun: 'the number of floors', unit: '', min: 0, max: 18, step: 1 },
  return_rate: { noun: 'the rate of returns', unit: ' %', min: 0, max: 60, step: 1 },
  lease_age: { noun: 'the age of the lease', unit: ' months', min: 2, max: 140, step: 1 },
  test_runs: { noun: 'the number of test runs', unit: '', min: 0, max: 40, step: 1 },
  toll: { noun: 'the toll', unit: ' EUR', min: 0, max: 600, step: 5 },
};

/** Facts with one of a few values. The values of those without any are names that a hub invents. */
export const choiceFacts: Readonly<
  Record<string, { readonly noun: string; readonly values: readonly string[] }>
> = {
  seal: { noun: 'the seal', values: ['wax', 'lead', 'foil', 'cord', 'paper', 'wire'] },
  colour_mark: { noun: 'the colour mark', values: ['ochre', 'teal', 'crimson', 'ivory', 'slate', 'lime'] },
  tariff_zone: { noun: 'the tariff zone', values: [] },
  hall: { noun: 'the hall', values: [] },
  agency: { noun: 'the agency', values: [] },
  line: { noun: 'the line of goods', values: [] },
  finish: { noun: 'the finish', values: ['raw', 'oiled', 'waxed', 'varnished', 'painted', 'brushed'] },
  lid: { noun: 'the lid', values: ['hinged', 'screwed', 'sliding', 'loose', 'folding'] },
  price_list: { noun: 'the price list', values: [] },
  tour: { noun: 'the tour', values: [] },
  form_used: { noun: 'the form', values: ['short form', 'long form', 'own letter', 'table', 'sketch'] },
  tier: { noun: 'the tier', values: [] },
  alloy: { noun: 'the alloy', values: [] },
  shift: { noun: 'the shift', values: ['early shift', 'late shift', 'night shift', 'split shift'] },
  gate: { noun: 'the gate', values: [] },
  plan: { noun: 'the charging plan', values: [] },
  region: { noun: 'the region', values: [] },
  fibre: { noun: 'the fibre', values: ['hemp', 'jute', 'linen', 'sisal', 'wool', 'cotton'] },
  stamp: { noun: 'the stamp', values: ['round', 'oval', 'square', 'crossed', 'faded'] },
  broker: { noun: 'the broker', values: [] },
};

/** Facts that only a sentence of the note tells. */
export const toldFacts: Readonly<
  Record<string, { readonly noun: string; readonly told: Readonly<Record<string, readonly string[]>> }>
> = {
  weather: {
    noun: 'the weather',
    told: {
      rain: ['It poured all day long.', 'Everything got wet from above.'],
      frost: ['The pipes were frozen that morning.', 'There was ice on the ramp.'],
      heat: ['It was far too hot to work in the yard.', 'The thermometer stood at thirty-six.'],
      fog: ['One could not see the other side of the yard.', 'Thick fog, the driver crept along.'],
    },
  },
  packing: {
    noun: 'the packing',
    told: {
      crate: ['It sat in a wooden crate.', 'Nailed up between boards.'],
      film: ['Wrapped in plastic film only.', 'There was nothing but film around it.'],
      basket: ['It lay in a wicker basket.', 'Brought along in a basket.'],
      sack: ['It had been put in a sack.', 'Tied up in sackcloth.'],
    },
  },
  witness: {
    noun: 'the witness',
    told: {
      neighbour: ['Somebody from next door saw it.', 'The people next door were looking on.'],
      driver: ['The man who drove the lorry can confirm it.', 'The driver stood beside it.'],
      none: ['Nobody saw it happen.', 'There was no one about.'],
    },
  },
  daytime: {
    noun: 'the time of day',
    told: {
      morning: ['It was before the first coffee.', 'Shortly after we had opened up.'],
      noon: ['Just when everybody was at lunch.', 'On the stroke of twelve.'],
      evening: ['The lamps were already lit.', 'After the offices had closed.'],
    },
  },
  tongue: {
    noun: 'the language',
    told: {
      Polish: ['The papers are in Polish.', 'Written in Polish throughout.'],
      Portuguese: ['The papers are in Portuguese.', 'Written in Portuguese throughout.'],
      Danish: ['The papers are in Danish.', 'Written in Danish throughout.'],
      Greek: ['The papers are in Greek.', 'Written in Greek throughout.'],
    },
  },
  helper: {
    noun: 'the help',
    told: {
      alone: ['One person managed it without any help.', 'Done by one pair of hands.'],
      crew: ['Four people had to lend a hand.', 'It took a whole crew.'],
      crane: ['Without the crane nothing would have moved.', 'The crane was called in.'],
    },
  },
  handover: {
    noun: 'the handover',
    told: {
      gate: ['It changed hands at the gate.', 'Given to us outside, at the gate.'],
      desk: ['It was put on the counter at the front desk.', 'The front desk took it in.'],
      locker: ['It was left in one of the lockers.', 'Found in locker nine.'],
    },
  },
  tone: {
    noun: 'the tone',
    told: {
      curt: ['Two lines, without a greeting.', 'Not one word more than needed.'],
      warm: ['With kind regards to everybody in the house.', 'A long and friendly letter.'],
      formal: ['Signed and countersigned, with a file number.', 'With letterhead, seal and two annexes.'],
    },
  },
  ground: {
    noun: 'the ground',
    told: {
      gravel: ['It stood on gravel.', 'There was loose gravel under it.'],
      cobbles: ['It stood on cobbles.', 'There were old cobbles under it.'],
      boards: ['It stood on wooden boards.', 'There were planks under it.'],
    },
  },
  occasion: {
    noun: 'the occasion',
    told: {
      wedding: ['Meant for a wedding.', 'The bride had picked it.'],
      move: ['They were moving house that week.', 'Needed for the new flat.'],
      opening: ['Meant for the opening of a shop.', 'The shop was to open on Saturday.'],
    },
  },
  keeper: {
    noun: 'the place of the papers',
    told: {
      safe: ['The papers are in the safe.', 'One needs the key of the safe for the papers.'],
      binder: ['The papers are in the blue binder.', 'Filed in the binder behind the door.'],
      nowhere: ['Nobody can find the papers.', 'The papers have not turned up.'],
    },
  },
  mood: {
    noun: 'the state of the lorry',
    told: {
      clean: ['The lorry had just been washed.', 'The loading bed was spotless.'],
      dusty: ['The loading bed was full of dust.', 'Dust lay on everything in the lorry.'],
      damp: ['The floor of the lorry was damp.', 'Water stood on the loading bed.'],
    },
  },
};
