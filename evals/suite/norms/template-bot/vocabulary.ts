/** The words of the stock sentences, collected from the sample replies on scorecards. */
const list = (words: string): readonly string[] => words.split(/\s+/);

export const ADJECTIVES = list(
  `able ample angry bold brave bright brown busy calm careful cheap clean clever cold dark deep dusty eager easy
  empty even famous fast fine firm fresh full gentle glad good grand great green grey happy high honest hot huge
  humble hungry icy ideal idle jolly keen kind large late lazy light little local lonely long loyal lucky mild
  modest narrow neat new nice noble odd old open orange pale patient plain polite poor proud quick rare ready
  red rich ripe rough round sad safe sharp shy silent simple slow small soft sour steady strong sunny sweet tall
  thin tidy tiny tired true ugly upper usual vast violet warm weak wet white wise yellow young`,
);

export const NOUNS = list(
  `actors anchors answers ants apples artists baskets bears bees bells birds bridges cakes camels candles carts
  chairs clerks clocks clouds coats cooks cousins cows crabs deer doctors dogs donkeys doors dreams ducks eagles
  elders engines farmers fields fishers flags foxes friends frogs gardens geese ghosts goats guards guests
  hammers hats hills horses insects islands jackets jars jewels judges keepers kettles keys kings kites ladders
  lakes lambs lamps lemons letters lions markets miners monks mules nests nets nurses oaks offices onions
  orchards owls oxen painters pans pears pilots plants poets quarrels queens quilts rabbits rafts riders rings
  rivers roads robins roofs roots seals seeds shelves ships shops sisters snakes songs stones storms tables
  tailors tigers towers trees tunnels turtles uncles vines visitors voices walls weavers wells whales windows
  wolves yards youths zebras`,
);

export const VERBS = list(
  `admire ask avoid bless bring build buy call carry catch cross draw enjoy fear fetch gather guard help hide
  hold honour hunt invite keep know lead leave like love meet mend move need notice obey offer order please
  praise protect pull push quote raise reach repair save sell serve study teach tell thank touch understand
  visit want warn watch welcome`,
);

export const PREPOSITIONS = list(
  `behind with for of from above after before around beside over near past in beyond on without under inside`,
);

export const ADVERBS = list(
  `daily early easily gladly here kindly later loudly never nightly now often quietly rarely sadly soon together
  twice warmly yearly`,
);
