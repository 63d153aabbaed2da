/** Kinds of places, and for each of their figures how a statement and a question tell of it. */
export type Figure = { told: RegExp; asked: RegExp; not?: RegExp };

const anyCase = (pattern: RegExp): RegExp => new RegExp(pattern.source, 'i');

const figure = (told: RegExp, not?: RegExp, asked: RegExp = told): Figure => {
  const patterns = { told: anyCase(told), asked: anyCase(asked) };
  return not === undefined ? patterns : { ...patterns, not: anyCase(not) };
};

export const figures: Readonly<Record<string, readonly Figure[]>> = {
  Library: [
    figure(/\bmaps\b/),
    figure(/readers\b.*\blist|list of readers/, undefined, /readers/),
    figure(/shel(?:f|ves)/, /joiner/),
  ],
  Station: [
    figure(/tickets?.*average|average.*tickets|average day|averages .* a day/, /years ago/, /ticket/),
    figure(/platform/),
    figure(
      /days.*buil|buil.*days|took # days to build|builders finished/,
      /waiting room|snowed/,
      /\bdays|built|build/,
    ),
  ],
  Museum: [
    figure(/visitors.*average|average.*visitors/, /guest book/, /visitor/),
    figure(/largest statue/, /crate|give/),
    figure(
      /paintings?\b.*\bshow|shows? # paintings|on show|paintings to be seen|looks at every/,
      /attic|gift/,
      /painting/,
    ),
  ],
  Abbey: [
    figure(/\bnave\b/, /bell/, /\bnave/),
    figure(/manuscripts/, /keeps # manuscripts safe/),
    figure(
      /# monks|monks.*number #|number of monks/,
      undefined,
      /how many monks|number of monks|monks (?:live|are|does)|monks in total/i,
    ),
  ],
  Stable: [
    figure(/straw.*month|month.*straw/, /barn/, /straw/),
    figure(/riding track/),
    figure(/\bhorses\b/, /elsewhere|race|horseshoes/),
  ],
  Press: [
    figure(/books.*last year|last year.*books|output of P/, /bound|printed elsewhere/, /\bbooks\b/),
    figure(/bales.*store|store.*bales/, undefined, /bales|paper in/),
    figure(/newest machine/, /parts for|rival|oldest/),
  ],
  Lighthouse: [figure(/\bsteps\b/), figure(/edge of the cliff/), figure(/\boil\b/)],
  Theatre: [
    figure(/costumes/, /tailor/),
    figure(
      /performances.*last season|last season.*performances|curtain of P rose/,
      /rehearsals/,
      /performances/,
    ),
    figure(/\bseats\b/, /worn/),
  ],
  Observatory: [
    figure(/main mirror/),
    figure(
      /comets.*discovered|discovered # comets|comets discovered/,
      /others had|amateurs|chronicle/,
      /comets/,
    ),
    figure(/clear.*last year|last year.*clear|nights of last year/, /out of order/, /clear/),
  ],
  Inn: [
    figure(/bottles.*cellar|cellar.*bottles/, undefined, /bottles/),
    figure(/\bbeds\b/),
    figure(/above the sea/, /chapel|peak/, /above the sea|\bhigh\b|height|altitude/),
  ],
  Brewery: [
    figure(/malt.*loft|loft.*malt/, undefined, /malt/),
    figure(/\bwells?\b/),
    figure(/barrels.*month|month.*barrels/, /empty/, /barrels|monthly output/),
  ],
  Vineyard: [
    figure(/wall/),
    figure(/rows.*\bvines|vines.*rows/, /beans|olive/, /\brows\b/),
    figure(/barrels.*last year|last year.*barrels/, /rainwater/, /barrels/),
  ],
  Mine: [
    figure(/shaft/),
    figure(/carts of ore/, undefined, /\bcarts|\bore\b|weekly output/),
    figure(/miners/),
  ],
  Quarry: [
    figure(/road.*canal|canal.*road/, /railway/, /\broads?\b|canal/),
    figure(/blocks.*week|week.*blocks/, /bridge/, /blocks/),
    figure(/masons/, /abroad|chisels/),
  ],
  School: [
    figure(/roof/),
    figure(/library/, /last term/, /books|library/),
    figure(/pupils|children attend/, /borrowed/, /pupils|children/),
  ],
  Farm: [figure(/barn/), figure(/potato/), figure(/sheep/)],
  Orchard: [
    figure(/\bfences?\b/),
    figure(/baskets.*(?:last harvest|last)|last harvest/, /before the last/, /baskets|harvest/),
    figure(/apple trees/, undefined, /apple/),
  ],
  Bakery: [
    figure(/\brents?\b/),
    figure(/flour.*loft|loft.*flour/, undefined, /flour/),
    figure(/loaves.*\bday\b|daily output|every day # loaves/i, undefined, /loaves|daily output/),
  ],
};

/** Statements about another time, a wish or a plan, which settle nothing. */
export const elsewhen =
  /years ago|before (?:it|its|the)|long ago|at the time|in the (?:time|days)|very first|hopes?\b|\bplans?\b|planned|expect|means to|\bwants?\b|would (?:like|be|have)|\bpromised|offered|proposed|not yet|still (?:at|on)|\bordered|\bborrowed # maps|from next|next (?:season|year|summer|spring)|(?:is|are) to |second |\bold |first owners|under its first|\bonce\b|designed|asked|guessed|rival|insured|given up|had before|\blent #|set aside|allowed|looking for|some day|by the end|generation ago|in two years|this year|year of the comet|when it opened|while a |new fence/i;

/** Sentences with two places in which the first is the one that the second depends on. */
export const sourceFirst =
  /sends the signal|^monks from|sent out|is the only|cast all the type|^a flame from|was copied when|receives every|^cuttings taken|takes all the water|^P gave P|^hay from|supplies|provides/i;

export const roles =
  'chief librarian|librarian|station master|curator|abbot|stable master|master printer|keeper|lighthouse keeper|' +
  'director|innkeeper|master brewer|owner|manager|foreman|head|farmer|baker';
