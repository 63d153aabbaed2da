/** Common English words by part of speech, from which the oracle writes its sentences. */

export interface WordPools {
  readonly adjectives: readonly string[];
  /** In the plural, so that no article is needed. */
  readonly nouns: readonly string[];
  /** They take an object and agree with a plural. */
  readonly verbs: readonly string[];
  readonly adverbs: readonly string[];
  readonly prepositions: readonly string[];
}

export const plainWords: WordPools = {
  adjectives:
    'able ample angry ancient bold brave bright brown busy calm careful cheap clean clever cold dark deep dry dusty eager early easy empty even fair famous fast fine firm fresh full gentle glad good grand great green grey happy hard heavy high honest hot huge humble hungry icy idle ideal jolly keen kind large late lazy light little local lonely long loud loyal lucky mild modest narrow neat new nice noble odd old open orange pale patient plain polite poor proud quick quiet rare ready red rich ripe rough round rural sad safe sharp shy silent simple slow small smooth soft sour steady strong sunny sweet tall tame thin tidy tiny tired true ugly upper urban useful usual vast violet warm weak wet white wide wild wise yellow young'.split(
      ' ',
    ),
  nouns:
    'actors answers apples anchors ants artists bakers barrels baskets bears bees bells birds boats books boxes bridges brothers cakes camels candles carts cats chairs clerks clocks clouds coats cooks cousins cows crabs dancers deer doctors dogs donkeys doors dreams drivers ducks eagles engines elders farmers fields fires fishers flags flowers foxes friends frogs gardens gates geese ghosts goats guards guests hammers hats hens hills horses hunters infants inns insects islands jars jackets jewels judges keepers kettles keys kings kites ladders lakes lambs lamps leaders lemons letters lions maps markets mice miners monks mules nails neighbours nests nets nurses oars oaks offices onions orchards owls oxen painters pans pears pigs pilots plants poets ponds queens quarrels quilts rabbits rafts riders rings rivers roads robins roofs roots sailors seals seeds shelves ships shops singers sisters snakes songs stones storms tables tailors tents tigers towers traders trees tunnels turtles umbrellas uncles villages vines violins visitors voices waggons walls weavers wells whales windows wolves workers yards yaks youths zebras'.split(
      ' ',
    ),
  verbs:
    'admire ask avoid bless bring build buy call carry catch choose clean cover cross draw enjoy expect fear feed fetch find follow gather greet guard guide help hide hold honour hunt ignore invite join judge keep know lead leave lift like love make mark meet mend miss move need notice obey offer open order paint pass please praise protect pull push quote raise reach remember repair save see seek sell serve share show study teach tell thank touch trust understand use visit want warn wash watch welcome'.split(
      ' ',
    ),
  adverbs:
    'again always badly calmly daily early easily gladly here inside kindly later loudly never nightly now often once outside proudly quickly quietly rarely sadly slowly softly soon there today together twice warmly well yearly'.split(
      ' ',
    ),
  prepositions:
    'above after around before behind beside beyond for from in near of on over past under with without'.split(
      ' ',
    ),
};
