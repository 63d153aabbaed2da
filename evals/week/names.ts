/** Names of people, places and things. */
const words = (list: string): readonly string[] => list.split(' ');

/** First names with the short form that colleagues use. */
export const firstNames: readonly (readonly [string, string])[] = words(
  'Fernando/Nando Margarethe/Gretel Alexandra/Sasha Bartholomew/Bart Josephine/Josie Maximilian/Max Elisabeth/Lisl Francisco/Paco Katarzyna/Kasia Aleksander/Olek Giuseppe/Beppe Wilhelmina/Mina Leonardo/Leo Philippa/Pip Nathaniel/Nat Theodora/Dora Ignacio/Nacho Henrietta/Hettie Salvatore/Turi Antonia/Toni Dimitrios/Mitsos Konstantin/Kostja Veronica/Nica Frederik/Frits Guillermo/Memo Magdalena/Lena Rosalind/Roz Sebastian/Basti Valentina/Tina Zachary/Zac Augustine/Gus Beatrice/Bice Cornelius/Cees Desmond/Des Emmanuelle/Manu Florentine/Flo Gabriella/Gabi Hildegard/Hilde Isidora/Isa Joachim/Jochen Kimberley/Kim Ludovico/Ludo Marguerite/Margot Nikolaus/Klaus Ottilie/Tilly Patricia/Trish Raimund/Mundi Stanislaw/Staszek Thaddeus/Tad Ursulina/Uschi Vladimir/Wowa Winifred/Freda Xaverius/Xaver Yevgenia/Zhenya Apollonia/Polly Benedikt/Beno Clementine/Clem Dominika/Nika Erasmus/Raz',
).map((pair) => {
  const [name = '', short = ''] = pair.split('/');
  return [name, short] as const;
});

export const surnames = words(
  'Abril Bakker Cardoso Dubois Eriksen Ferrari Gruber Hansen Ivanov Jansen Kowalski Lindqvist Moreau Novak Olsen Pereira Quist Rossi Santos Tanaka Ueda Varga Weber Yilmaz Zeman Almeida Brandt Costa Duarte Engel Fischer Garcia Horvat Ibsen Jonas Keller Lopes Meyer Nilsen Okafor Petrov Ramos Schmidt Toth Urban Vidal Wagner Young Zanetti Amari Bianchi Correia Dahl Esposito Fuchs Greco Holm Irving Juric Krause Larsen Marino Nunes Osei Popov Reyes Silva Turek Ullmann Vogel Winter Ozturk Baumann Conti Dvorak Farkas Gomez Huber',
);

export const sites = words(
  'Lisbon Ghent Turin Gdansk Malmo Bilbao Graz Lyon Brno Leipzig Porto Aarhus Trieste Split Bergen Utrecht',
);
export const cities = words(
  'Antwerp Basel Cork Dresden Evora Florence Girona Hamburg Innsbruck Jena Krakow Liege Munster Nantes Oslo Parma Riga Seville Tartu Uppsala Verona Zurich',
);

const partyFirst = words(
  'Alder Birch Cobalt Delta Ember Falcon Garnet Harbour Indigo Juniper Kestrel Lantern Meridian Nimbus Orchard Pinnacle Quarry Raven Saffron Thistle Umber Velvet Willow Zephyr Anchor Beacon Cedar Drift Estuary Fjord',
);
const partyLast = words(
  'Trading Works Supplies Partners Stores Logistics Interiors Crafts Gardens Workshops Estates Goods Outfitters Makers Brothers Studios',
);
const partyForms = words('GmbH Ltd SA BV AB Lda SpA Oy');

export const partyNames: readonly string[] = partyFirst.flatMap((first) =>
  partyLast.map(
    (last, index) => `${first} ${last} ${partyForms[(index * 7 + first.length) % partyForms.length] ?? ''}`,
  ),
);

const materials = words(
  'oak linen copper slate wool cork brass willow ash felt marble bamboo walnut enamel hemp rattan pewter birch',
);
const things = words(
  'lamp bench bowl throw planter shelf tray stool basket mirror vase rug kettle screen ladder trough jug clock',
);

export const productNames: readonly string[] = materials.flatMap((material) =>
  things.map((thing) => `${material} ${thing}`),
);
