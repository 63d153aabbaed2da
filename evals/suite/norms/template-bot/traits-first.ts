/** What the question calls a trait or a trade, with the phrases by which the text tells of it. */
export interface Trait {
  readonly name: RegExp;
  readonly told: RegExp;
}

export const firstTraits: readonly Trait[] = [
  { name: /sailor/, told: /seven seas|furl the canvas|rounded the cape|hoists the anchor/ },
  {
    name: /lightning/,
    told: /bolt from the sky|flash from heaven|fern-shaped|wrong oak|million volts|woke up charred/,
  },
  { name: /puppeteer/, told: /marionettes|movable jaws|cloth devil|crocodile on one hand/ },
  { name: /juggle/, told: /five oranges|eggs fly|beanbags|tosses clubs/ },
  {
    name: /extremely rich|wealthy|\brich\b|millionaire|billionaire/,
    told: /whole street for a view|private zoo|three mansions|cigars with banknotes|more tax than|never asks what anything costs|tips waiters/,
  },
  { name: /notary/, told: /a signature is genuine|copies agree|affidavits|reads deeds aloud/ },
  {
    name: /extra toe|sixth toe|six toes/,
    told: /eleven on bare feet|wider for six|additional pocket in stockings|one mark too many|spare little digit|little toe/,
  },
  {
    name: /winegrower|vintner/,
    told: /fears frost in the vineyard|harvests grapes|hoes between vines|riesling|treads the vintage/,
  },
  { name: /divorced/, told: /dissolved by the court|alimony|every other weekend|split the furniture/ },
  {
    name: /swimming instructor/,
    told: /toddlers to duck|armbands|beginners by the chin|non-floaters|long pole/,
  },
  {
    name: /colour-blind/,
    told: /red from green|mixes up the crayons|matching socks|position of the lights|red and green/,
  },
  {
    name: /translator/,
    told: /paid by the line|bilingual dictionaries|looks for a|needs no dictionary|renders contracts|in another language|sits in a booth|from the original/,
  },
  { name: /pacifist/, told: /refused to carry a rifle|dove on a banner|exile rather|melt down all cannons/ },
  {
    name: /firefighter/,
    told: /puts out blazes|slides down a pole|helmet and breathing|cats? from (?:a )?tree/,
  },
  { name: /waiter|waitress/, told: /five plates|brings the menu|pulls out chairs|each table wants/ },
  {
    name: /been in prison|ex-convict|convict/,
    told: /bread and water|good conduct|number instead of a name|served time|six years behind bars|tattoos that people get inside/,
  },
  {
    name: /devout|pious/,
    told: /mass every morning|wayside shrine|pilgrimage|rosary|murmurs psalms|says grace/,
  },
  { name: /optician/, told: /bifocals|smallest line on the chart|fits spectacles|grinds lenses|nose pads/ },
  {
    name: /diminutive|very short|short person|tiny/,
    told: /department for children|under a table with a hat|disappears behind every|front row of every group|stool to reach|two cushions|dressed like a child/,
  },
  {
    name: /banker/,
    told: /decides on mortgages|invests the capital|deposits of others|savings accounts|interest rates/,
  },
  { name: /miller/, told: /fills sacks with flour|grinds the grain|four long arms|opens the sluice/ },
  {
    name: /bald/,
    told: /gave the hairbrush|last curl|top of the head with a cloth|cream into the crown|saves money on shampoo|hat against sunburn/,
  },
  {
    name: /widow/,
    told: /buried a spouse|lost a husband|table for one|signs alone|survived the person|thirty years, until|worn black/,
  },
  { name: /baker/, told: /yeast that will not rise|scores each crust|loaves warm|gets up at two|kneads/ },
  { name: /pipe smoker|smokes a pipe/, told: /briar|shag|ash against the heel|tamps down/ },
  { name: /physicist/, told: /lasers in a vacuum|quanta|split the nucleus|protons|gravity and magnetism/ },
  {
    name: /kleptomaniac/,
    told: /pilfer|pockets the lighters|slips silver spoons|takes ashtrays|unpaid gloves/,
  },
  { name: /geologist/, told: /ranges were folded|samples off cliffs|age of strata|basalt/ },
  {
    name: /photographic memory/,
    told: /whole skyline|memorised a shuffled|map only once|page after a single glance|number plate/,
  },
  {
    name: /weaver/,
    told: /warp and weft|bolt of homespun|one big tapestry|shuttle to and fro|yarn into cloth/,
  },
  {
    name: /auctioneer/,
    told: /gavel|hammers once|highest bidder|going, going|bidding for antiques|takes bids/,
  },
  { name: /diabetic/, told: /hormone from a needle|measure sugar|carbohydrates/ },
  { name: /mathematician/, told: /unsolved conjecture|proves theorems|lemmas|exists but cannot/ },
  { name: /coffee/, told: /espresso|percolator|caffeine/ },
  {
    name: /archaeologist/,
    told: /shards from|dates amphoras|ruins of forgotten|excavates|mosaic floor|burial chamber/,
  },
  {
    name: /betrothed|engaged|fianc/,
    told: /fiance|vicar for the big day|said yes to a proposal|down the aisle/,
  },
  { name: /parrot/, told: /macaw|called darling|green and feathered|cockatoo|squawking/ },
  {
    name: /perfumer/,
    told: /jasmine|fragrances for|distils rose|eau de cologne|little vials|bergamot|the nose does the work/,
  },
  {
    name: /allergic to cats|cat allergy/,
    told: /tabby|tablets against fur|wheezes after|anything that purrs|litter tray|tomcat|a kitten/,
  },
  { name: /butterfly/, told: /caterpillars|swallowtails|huge blue moth|meadows with a net|purple wings/ },
  { name: /bartender|barkeeper/, told: /last orders|drinkers who sit|shakes cocktails|wipes the counter/ },
  { name: /aristocrat|noble/, told: /line of dukes|blue blood|inherited a title|your grace/ },
  {
    name: /brewer/,
    told: /yeast to the wort|boils hops|next lager|vat of stout|smells of malt|fermenting tanks/,
  },
  {
    name: /journalist|reporter/,
    told: /microphone under|interviews politicians|phones in a story|scandals from the capital|morning edition/,
  },
  {
    name: /grandparent|grandmother|grandfather/,
    told: /two small boys|son's newborn|children of a son|first child had a first|daughter's little girls|next generation/,
  },
  {
    name: /tattooist/,
    told: /former lovers|dragons for life|anchors and roses|hearts onto upper|warns customers that|beads of blood/,
  },
  {
    name: /ticklish/,
    told: /fingertips approach|poked in the ribs|massage for giggling|feather strokes|squirms with/,
  },
  {
    name: /unpunctual|always late/,
    told: /soup is cold|half an hour|last tram|first act of|told six so|after the vows/,
  },
  {
    name: /glove maker|glover/,
    told: /ten fingertips in suede|mittens with|round the knuckles|gauntlets|five fingers to each/,
  },
  {
    name: /foul-mouthed|swears/,
    told: /obscenities|four-letter|rude word|children next door to curse|sailors wince|wash that tongue/,
  },
  { name: /jockey/, told: /final furlong|thoroughbreds|mare past|won the derby/ },
  { name: /spiders/, told: /hairy weaves|plughole on eight|cellar with cobwebs/ },
  {
    name: /violin maker|luthier/,
    told: /spruce that will|string quartets|cellos and violas|thin wooden belly/,
  },
  {
    name: /acrobat/,
    told: /catches? (?:the )?(?:partner|trapeze)|lets go of the bar|tumbles through hoops|triple somersaults/,
  },
  { name: /newly-wed|newlywed/, told: /still unwrapping gifts|honeymoon|altar smile/ },
  {
    name: /gamekeeper/,
    told: /high seats for those|culls the stags|ambush for poachers|hay for the deer|rears pheasants/,
  },
  { name: /cheesemonger/, told: /goat rounds|camembert|ripening wheels|stilton/ },
  {
    name: /freckled|freckles/,
    told: /more specks on the nose|flicked cocoa|tiny summer spots|pale, dotted|freckl/,
  },
  {
    name: /left-handed/,
    told: /arm that surprises|quill on the side|special scissors|switch the pencil|bumps elbows/,
  },
  {
    name: /centenarian|hundred years/,
    told: /hundred and one candles|ten decades|three digits for an age|old school class|more than a century|older than anyone|before cars and wireless/,
  },
  { name: /customs officer/, told: /smuggled|load of every lorry|suitcases at the border/ },
  { name: /flat-earther|flat earth/, told: /edge of the ocean|shaped like a plate/ },
  { name: /midwife/, told: /cuts the cord|half the town by their first|hundreds of babies/ },
  {
    name: /vegetarian/,
    told: /bacon in the soup|roast goose|leaves the ham|never touches meat|lentils wherever/,
  },
  {
    name: /locksmith/,
    told: /cuts keys|files blanks|bolts and cylinders|shut themselves out|jammed shut|opens safes/,
  },
  {
    name: /wooden leg/,
    told: /termites|one knee from nature|varnishes what used|peg\.|only one shoe|taps along the deck|shin of oak/,
  },
  {
    name: /tree surgeon/,
    told: /spikes on both boots|old oak may|twigs and limbs|fells elms|hollow trunks|rotten boughs|high among the branches|crown off a poplar/,
  },
  { name: /crossword/, told: /twelve down|black and white grids|river of four|seven across/ },
  { name: /accordion/, told: /squeezebox|pair of bellows|pleated instrument|pumps air|polkas|bass buttons/ },
  {
    name: /cartographer|map maker/,
    told: /compass rose|plan of the town|coastlines|blank spots|globe onto|every river|contour lines|surveys a province/,
  },
];
