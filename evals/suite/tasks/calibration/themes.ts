/** The themes of dossiers. Each theme has the same relations in its own words. */

export interface NumberAttribute {
  /** States the number of an entity. */
  readonly text: readonly ((entity: string, value: number) => string)[];
  /** Sounds like the number but is another one. */
  readonly near: readonly ((entity: string, value: number) => string)[];
  /** "How many …?" for one entity, or for two together. */
  readonly question: (entity: string) => string;
  readonly together: (first: string, second: string) => string;
}

export interface Theme {
  readonly heading: string;
  readonly entity: (name: string) => string;
  readonly numbers: readonly NumberAttribute[];
  /** Who runs the entity, and somebody who only works there. */
  readonly head: readonly ((entity: string, person: string) => string)[];
  readonly helper: readonly ((entity: string, person: string) => string)[];
  readonly headedBy: (person: string) => string;
  /** The one other entity that an entity follows. */
  readonly follows: readonly ((entity: string, other: string) => string)[];
  readonly followedBy: (entity: string) => string;
}

const fleet: Theme = {
  heading: 'the ships of a trading house',
  entity: (name) => `the ${name}`,
  numbers: [
    {
      text: [
        (ship, value) => `${ship} has a crew of ${value}`,
        (ship, value) => `${value} sailors serve on ${ship}`,
      ],
      near: [
        (ship, value) => `from next spring on, ${ship} is to have a crew of ${value}`,
        (ship, value) => `the crew of ${ship} numbered ${value} before the last refit`,
      ],
      question: (ship) => `How many sailors serve on ${ship}?`,
      together: (ship, other) => `How many sailors serve in total on ${ship} and ${other}?`,
    },
    {
      text: [
        (ship, value) => `the hold of ${ship} takes ${value} crates`,
        (ship, value) => `${ship} can load ${value} crates`,
      ],
      near: [
        (ship, value) => `${ship} took ${value} barrels of water on board for her last voyage`,
        (ship, value) => `the owners once hoped that ${ship} would load ${value} crates`,
      ],
      question: (ship) => `How many crates fit into the hold of ${ship}?`,
      together: (ship, other) => `How many crates fit in total into the holds of ${ship} and ${other}?`,
    },
    {
      text: [
        (ship, value) => `it took ${value} days to build ${ship}`,
        (ship, value) => `${ship} was finished after ${value} days in the yard`,
      ],
      near: [
        (ship, value) => `the contract for ${ship} allowed ${value} days of building`,
        (ship, value) => `${ship} spent ${value} days under repair last year`,
      ],
      question: (ship) => `How many days did it take to build ${ship}?`,
      together: (ship, other) => `How many days did it take in total to build ${ship} and ${other}?`,
    },
  ],
  head: [
    (ship, person) => `${person} commands ${ship}`,
    (ship, person) => `the captain of ${ship} is ${person}`,
  ],
  helper: [
    (ship, person) => `${person} is the cook of ${ship}`,
    (ship, person) => `${person} used to sail on ${ship} as a mate`,
  ],
  headedBy: (person) => `the ship that ${person} commands`,
  follows: [
    (ship, other) => `${ship} was built to the plans of ${other}`,
    (ship, other) => `the plans of ${other} were used again for ${ship}`,
  ],
  followedBy: (ship) => `the ship whose plans were used for ${ship}`,
};

const inns: Theme = {
  heading: 'the inns along a mountain road',
  entity: (name) => `the ${name} Inn`,
  numbers: [
    {
      text: [
        (inn, value) => `${inn} has ${value} beds`,
        (inn, value) => `${value} guests can sleep at ${inn}, one to a bed`,
      ],
      near: [
        (inn, value) => `${inn} is to have ${value} beds once the new wing stands`,
        (inn, value) => `on the busiest day of the year ${value} people had supper at ${inn}`,
      ],
      question: (inn) => `How many beds are there at ${inn}?`,
      together: (inn, other) => `How many beds are there in total at ${inn} and ${other}?`,
    },
    {
      text: [
        (inn, value) => `${inn} lies ${value} metres above the sea`,
        (inn, value) => `the doorstep of ${inn} is at ${value} metres above the sea`,
      ],
      near: [
        (inn, value) => `the peak behind ${inn} rises ${value} metres above the road`,
        (inn, value) => `an old map puts a chapel near ${inn} at ${value} metres`,
      ],
      question: (inn) => `What is the height above the sea, in metres, of ${inn}?`,
      together: (inn, other) =>
        `What is the sum of the heights above the sea, in metres, of ${inn} and ${other}?`,
    },
    {
      text: [
        (inn, value) => `the cellar of ${inn} contains ${value} bottles`,
        (inn, value) => `${value} bottles are stored in the cellar of ${inn}`,
      ],
      near: [
        (inn, value) => `last autumn ${inn} ordered ${value} bottles, of which some arrived broken`,
        (inn, value) => `there were ${value} bottles in the cellar of ${inn} before the flood`,
      ],
      question: (inn) => `How many bottles are in the cellar of ${inn}?`,
      together: (inn, other) => `How many bottles are there in total in the cellars of ${inn} and ${other}?`,
    },
  ],
  head: [
    (inn, person) => `${person} keeps ${inn}`,
    (inn, person) => `the innkeeper of ${inn} is called ${person}`,
  ],
  helper: [
    (inn, person) => `${person} waits at table at ${inn}`,
    (inn, person) => `${person} lodges at ${inn} for the winter`,
  ],
  headedBy: (person) => `the inn that ${person} keeps`,
  follows: [
    (inn, other) => `${inn} buys its bread from ${other}`,
    (inn, other) => `the bread eaten at ${inn} comes from ${other}`,
  ],
  followedBy: (inn) => `the inn that sells bread to ${inn}`,
};

const schools: Theme = {
  heading: 'the village schools of a county',
  entity: (name) => `${name} School`,
  numbers: [
    {
      text: [
        (school, value) => `${school} has ${value} pupils`,
        (school, value) => `${value} children attend ${school}`,
      ],
      near: [
        (school, value) => `${school} expects ${value} pupils in two years`,
        (school, value) => `there were ${value} pupils at ${school} when it opened`,
      ],
      question: (school) => `How many pupils are there at ${school}?`,
      together: (school, other) => `How many pupils are there in total at ${school} and ${other}?`,
    },
    {
      text: [
        (school, value) => `the library of ${school} owns ${value} books`,
        (school, value) => `${school} owns ${value} library books`,
      ],
      near: [
        (school, value) => `the county once promised ${value} books to ${school}`,
        (school, value) => `the pupils of ${school} borrowed ${value} books last term`,
      ],
      question: (school) => `How many books are there in the library of ${school}?`,
      together: (school, other) =>
        `How many books are there in total in the libraries of ${school} and ${other}?`,
    },
    {
      text: [
        (school, value) => `the roof of ${school} cost ${value} thalers`,
        (school, value) => `${value} thalers were paid for the roof of ${school}`,
      ],
      near: [
        (school, value) => `a roofer had offered to cover ${school} for ${value} thalers`,
        (school, value) => `the windows of ${school} cost ${value} thalers`,
      ],
      question: (school) => `What was the cost, in thalers, of the roof of ${school}?`,
      together: (school, other) =>
        `What was the total cost, in thalers, of the roofs of ${school} and ${other}?`,
    },
  ],
  head: [
    (school, person) => `${person} is the head of ${school}`,
    (school, person) => `${school} is led by ${person}`,
  ],
  helper: [
    (school, person) => `${person} rings the bell at ${school}`,
    (school, person) => `${person} taught at ${school} for a year and left`,
  ],
  headedBy: (person) => `the school that ${person} leads`,
  follows: [
    (school, other) => `${school} copied its timetable from ${other}`,
    (school, other) => `the timetable of ${school} is a copy of that of ${other}`,
  ],
  followedBy: (school) => `the school whose timetable was copied by ${school}`,
};

export const themes: readonly Theme[] = [fleet, inns, schools];
