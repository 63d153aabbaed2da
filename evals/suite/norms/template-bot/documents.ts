/** Long documents: the toll log and the chronicle of a district. */
import { answer } from './text-tools.ts';
import { PHRASES } from './phrases.ts';

export function tollLog(text: string): string | undefined {
  const asked = /entries in which (\w+) brings (\w+) to the (\w+ gate) (by \w+|on foot)\./.exec(text);
  const nth = /belongs to the (\d+)\w\w of them, counted from the (beginning|end)/.exec(text);
  if (!asked || !nth) return undefined;
  const parts = asked.slice(1).map((part) => new RegExp(`\\b${part}\\b`, 'i'));
  const keepStruck = !/struck out do not count/.test(text);
  const words: string[] = [];
  for (const line of text.split('\n')) {
    const receipt = /\breceipt (?:word: )?(\w+)/i.exec(line)?.[1];
    if (!receipt || line.startsWith('Consider')) continue;
    if ((keepStruck || !/\(\w+ out\.\)/.test(line)) && parts.every((part) => part.test(line)))
      words.push(receipt);
  }
  const at = nth[2] === 'beginning' ? Number(nth[1]) - 1 : words.length - Number(nth[1]);
  const word = words[at];
  return word === undefined ? undefined : answer(word);
}

/** Each relation with its wordings: X is the known person, Y is the one in question. */
const RELATIONS: Readonly<Record<string, readonly string[]>> = {
  teacher: ['X served an apprenticeship under Y', 'Y trained X for years'],
  heir: ['The will of X leaves everything to Y', 'When X dies, the house will go to Y'],
  hate: ['X cannot stand Y', 'X spits at the mention of Y'],
  landlord: ['The roof over X belongs to Y', 'X pays rent to Y on'],
  betrayer: ['Y sold the secrets of X to', 'Y told the police where X was'],
  godparent: ['Y spoke the vows at the baptism of X\\b', 'Y held X over the font'],
  creditor: ['X borrowed a large sum from Y', 'Y still waits for X to return'],
  boss: ['X takes orders from Y', 'Y signs the pay slips of X\\b'],
  rescuer: ['Y pulled X from the icy', 'Y once dragged X out of'],
  addressee: ['X sends long letters to Y', 'X writes four pages to Y'],
  home: ['X has furniture and a front door in Y', 'The postman finds X in Y'],
  birthplace: ['X drew a first breath in Y', 'The cradle of X stood in Y'],
  grave: ['X wants to be laid to rest in Y', 'churchyard of Y is reserved for X\\b'],
};

function related(text: string, name: string, relation: string): string | undefined {
  for (const wording of RELATIONS[relation] ?? []) {
    const pattern = new RegExp(`\\b${wording.replace('Y', '(\\w+)').replace('X', name)}`);
    const found = pattern.exec(text)?.[1];
    if (found) return found;
  }
  return undefined;
}

function peopleWith(text: string, trait: string): Set<string> {
  const people = new Set<string>();
  for (const phrase of PHRASES[trait] ?? []) {
    for (const match of text.matchAll(new RegExp(`\\b(\\w+) ${phrase}`, 'g'))) people.add(match[1] ?? '');
  }
  return people;
}

export function chronicle(text: string): string | undefined {
  const question = text.trim().split('\n').at(-1) ?? '';
  const traits = /the person who (.*?)(?:\.|\?)/
    .exec(question)?.[1]
    ?.split(' and ')
    .map((trait) => trait.replace(/^is (an? )?/, ''));
  if (!traits || traits.length < 2) return undefined;
  const [first = new Set<string>(), ...others] = traits.map((trait) => peopleWith(text, trait));
  let name = [...first].find((person) => others.every((group) => group.has(person)));
  const steps = question.startsWith('Start')
    ? [
        ...question.matchAll(/Go on to the (?:pet )?(\w+) of that|is the (?:future |pet )?(\w+) of that/g),
      ].map((match) => match[1] ?? match[2] ?? '')
    : [...(question.split(' of the person who')[0] ?? '').matchAll(/the (?:future |pet )?(\w+)\b/g)]
        .map((match) => match[1] ?? '')
        .toReversed();
  for (const relation of steps) name = name ? related(text, name, relation) : undefined;
  return name ? answer(name) : undefined;
}
