import type { Wish } from './wishes.ts';

/** Words with which the lines are filled. */
const lexicon: readonly string[] = [
  'able above actors admire after again always ample anchors ancient angry answers ants apples around',
  'artists ask avoid badly bakers barrels baskets bears bees before behind bells beside beyond birds',
  'bless boats bold books boxes brave bridges bright bring brothers brown build busy buy cakes call',
  'calm calmly camels candles careful carry carts catch cats chairs cheap choose clean clerks clever',
  'clocks clouds coats cold cooks cousins cover cows crabs cross daily dancers dark deep deer doctors',
  'dogs donkeys doors draw dreams drivers dry ducks dusty eager eagles early easily easy elders empty',
  'engines enjoy even expect fair famous farmers fast fear feed fetch fields find fine fires firm',
  'fishers flags flowers follow for foxes fresh friends frogs from full gardens gates gather geese',
  'gentle ghosts glad gladly goats good grand great green greet grey guard guards guests guide hammers',
  'happy hard hats heavy help hens hide high hills hold honest honour horses hot huge humble hungry',
  'hunt hunters icy ideal idle ignore in infants inns insects inside invite islands jackets jars jewels',
  'join jolly judge judges keen keep keepers kettles keys kind kindly kings kites know ladders lakes',
  'lambs lamps large late later lazy lead leaders leave lemons letters lift light like lions little',
  'local lonely long loud loudly love loyal lucky make maps mark markets meet mend mice mild miners',
  'miss modest monks move mules nails narrow near neat need neighbours nests nets never new nice',
  'nightly noble notice now nurses oaks oars obey odd of offer offices often old on once onions open',
  'orange orchards order outside over owls oxen paint painters pale pans pass past patient pears pigs',
  'pilots plain plants please poets polite ponds poor praise protect proud proudly pull push quarrels',
  'queens quick quickly quiet quietly quilts quote rabbits rafts raise rare rarely reach ready red',
  'remember repair rich riders rings ripe rivers roads robins roofs roots rough round rural sad sadly',
  'safe sailors save seals see seeds seek sell serve share sharp shelves ships shops show shy silent',
  'simple singers sisters slow slowly small smooth snakes soft softly songs soon sour steady stones',
  'storms strong study sunny sweet tables tailors tall tame teach tell tents thank thin tidy tigers',
  'tiny tired today together touch towers traders trees true trust tunnels turtles twice ugly umbrellas',
  'uncles under understand upper urban use useful usual vast villages vines violet violins visit',
  'visitors voices waggons walls want warm warmly warn wash watch weak weavers welcome well wells wet',
  'whales white wide wild windows wise with without wolves workers yaks yards yearly yellow young',
  'youths zebras',
].flatMap((line) => line.split(' '));

type Slot = { text: string; fixed: boolean; domain: readonly string[] };
type Plan = { lines: Slot[][]; letters: { letter: string; times: number }[]; distinct: boolean };
type Of<K extends Wish['kind']> = Extract<Wish, { kind: K }>;

/** A small deterministic generator, so that a reply is the same each time. */
const makeRandom = (seed: number): (() => number) => {
  let state = seed * 7919 + 17;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
};

const pick = <T>(items: readonly T[], random: () => number): T | undefined =>
  items[Math.floor(random() * items.length)];

const lineLengths = (wishes: readonly Wish[], lines: number, names: number): number[] => {
  const given = wishes.find((wish): wish is Of<'lengths'> => wish.kind === 'lengths');
  if (given !== undefined) return given.lengths;
  const rising = wishes.some(({ kind }) => kind === 'rising');
  const total = wishes.find((wish): wish is Of<'total'> => wish.kind === 'total')?.words;
  const least = Array.from({ length: lines }, (_, index) => {
    const positions = wishes.flatMap((wish) =>
      wish.kind === 'word' && wish.line === index + 1 ? [wish.position + 1] : [],
    );
    return Math.max(names > 0 ? 5 : 4, ...positions);
  });
  const lengths = [...least];
  if (rising) {
    for (let index = 0; index < lines; index += 1) {
      lengths[index] = Math.max(
        (lengths[index - 1] ?? 2) + 1,
        index === 0 ? 3 : 0,
        positionNeed(wishes, index + 1),
      );
    }
  } else if (total === undefined) return lengths.map((length) => Math.max(length, 7));
  if (total === undefined) return lengths.map((length) => (rising ? length + 2 : Math.max(7, length)));
  let rest = total - lengths.reduce((one, two) => one + two, 0);
  if (rising) {
    // Adding from the last line upwards keeps the lines rising.
    const share = Math.max(0, Math.floor(rest / lines));
    for (let index = 0; index < lines; index += 1) lengths[index] = (lengths[index] ?? 3) + share;
    rest -= share * lines;
    for (let index = lines - 1; rest > 0 && index >= 0; index -= 1, rest -= 1)
      lengths[index] = (lengths[index] ?? 3) + 1;
    return lengths;
  }
  for (let index = 0; rest > 0; index = (index + 1) % lines, rest -= 1)
    lengths[index] = (lengths[index] ?? 4) + 1;
  for (let index = 0; rest < 0 && index < lines * 10; index += 1) {
    const at = index % lines;
    const length = lengths[at] ?? 4;
    if (length > Math.max(3, positionNeed(wishes, at + 1))) {
      lengths[at] = length - 1;
      rest += 1;
    }
  }
  return lengths;
};

const positionNeed = (wishes: readonly Wish[], line: number): number =>
  Math.max(
    3,
    ...wishes.flatMap((wish) => (wish.kind === 'word' && wish.line === line ? [wish.position + 1] : [])),
  );

const splitSum = (count: number, total: number, random: () => number): number[] => {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const parts: number[] = [];
    let rest = total;
    for (let index = 0; index < count - 1; index += 1) {
      const part = Math.max(2, Math.floor((rest / (count - index)) * (0.5 + random())));
      parts.push(part);
      rest -= part;
    }
    parts.push(rest);
    if (rest > 1 && new Set(parts).size === count) return parts;
  }
  return Array.from({ length: count }, (_, index) => (index === 0 ? total - count + 1 : 1));
};

const countLetter = (text: string, letter: string): number => text.split(letter).length - 1;

const startsWith = (word: string | undefined, letter: string): boolean =>
  word?.toLowerCase().startsWith(letter) ?? false;

/** Puts the text somewhere between the ends of a line, if there is room. */
const place = (
  grid: readonly (string | undefined)[][],
  text: string,
  initial: string | undefined,
  random: () => number,
): boolean => {
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const row = pick(grid, random);
    if (row === undefined) return false;
    const at = 1 + Math.floor(random() * Math.max(1, row.length - 2));
    const clash =
      initial !== undefined && startsWith(text, initial) && row.some((word) => word?.startsWith(initial));
    if (row[at] === undefined && at < row.length - 1 && !clash) {
      row[at] = text;
      return true;
    }
  }
  return false;
};

/** Lays out the slots, or gives up when the random choices do not fit. */
const makePlan = (
  wishes: readonly Wish[],
  lines: number,
  names: readonly string[],
  random: () => number,
): Plan | undefined => {
  const lengths = lineLengths(wishes, lines, names.length);
  const initial = wishes.find((wish): wish is Of<'initial'> => wish.kind === 'initial')?.letter;
  const acrostic = wishes.find((wish): wish is Of<'acrostic'> => wish.kind === 'acrostic')?.letters;
  const closing = wishes.find((wish): wish is Of<'closing'> => wish.kind === 'closing')?.letters;
  const chain = wishes.some(({ kind }) => kind === 'chain');
  const alphabetical = wishes.some(({ kind }) => kind === 'alphabetical');
  const distinct = wishes.some(({ kind }) => kind === 'distinct');
  const banned = wishes.flatMap((wish) => (wish.kind === 'without' ? [wish.letter] : []));
  const longest = Math.min(99, ...wishes.flatMap((wish) => (wish.kind === 'longest' ? [wish.letters] : [])));
  const usable = lexicon.filter(
    (word) => word.length <= longest && banned.every((letter) => !word.includes(letter)),
  );
  const taken = new Set<string>();
  const grid: (string | undefined)[][] = lengths.map((length) => Array.from({ length }, () => undefined));
  for (const wish of wishes) {
    const row = wish.kind === 'word' ? grid[wish.line - 1] : undefined;
    if (wish.kind === 'word' && row !== undefined && wish.position <= row.length) {
      row[wish.position - 1] = wish.word;
      taken.add(wish.word);
    }
  }
  const numbers = wishes.find((wish): wish is Of<'numbers'> => wish.kind === 'numbers');
  const digits = numbers === undefined ? [] : splitSum(numbers.count, numbers.sum, random).map(String);
  if (![...names, ...digits].every((text) => place(grid, text, initial, random))) return undefined;
  const open = (list: readonly string[]): string[] => list.filter((word) => !distinct || !taken.has(word));
  let before = '';
  for (const [index, row] of grid.entries()) {
    const fixedInitial = initial !== undefined && row.some((word) => startsWith(word, initial));
    const allowed = (word: string): boolean =>
      initial === undefined || !startsWith(word, initial) || !row.some((other) => startsWith(other, initial));
    const previous = grid[index - 1]?.at(-1);
    if (chain && index > 0 && previous !== undefined) {
      if (row[0] !== undefined && row[0] !== previous) return undefined;
      row[0] = previous;
    }
    if (row[0] === undefined && (acrostic !== undefined || alphabetical)) {
      const nextFixed = alphabetical
        ? grid.slice(index + 1).find((other) => other[0] !== undefined)?.[0]
        : undefined;
      const list = open(usable)
        .filter((word) => acrostic === undefined || word.startsWith(acrostic[index] ?? ''))
        .filter((word) => !alphabetical || (word > before && (nextFixed === undefined || word < nextFixed)))
        .filter(allowed)
        .toSorted();
      const remaining = lines - index;
      const window = alphabetical ? list.slice(0, Math.max(1, Math.ceil(list.length / remaining))) : list;
      row[0] = pick(window, random);
      if (row[0] === undefined) return undefined;
      taken.add(row[0]);
    }
    if (alphabetical) before = row[0]?.toLowerCase() ?? before;
    const end = row.length - 1;
    if (row[end] === undefined) {
      const list = open(usable)
        .filter((word) => closing === undefined || word.length === closing)
        .filter(allowed)
        // The next line begins with this word, so it must not bring a second initial there.
        .filter((word) => !chain || initial === undefined || !startsWith(word, initial));
      row[end] = pick(list, random);
      if (row[end] === undefined) return undefined;
      taken.add(row[end] ?? '');
    } else if (closing !== undefined && row[end]?.length !== closing) return undefined;
    if (initial !== undefined && !fixedInitial && !row.some((word) => startsWith(word, initial))) {
      const free = row.flatMap((word, at) => (word === undefined ? [at] : []));
      const at = pick(free, random);
      const word = pick(
        open(usable).filter((one) => one.startsWith(initial)),
        random,
      );
      if (at === undefined || word === undefined) return undefined;
      row[at] = word;
      taken.add(word);
    }
  }
  const fillers = usable.filter((word) => initial === undefined || !word.startsWith(initial));
  const filled = grid.map((row) =>
    row.map((text): Slot =>
      text === undefined ? { text: '', fixed: false, domain: fillers } : { text, fixed: true, domain: [] },
    ),
  );
  const letters = wishes.flatMap((wish) =>
    wish.kind === 'letter' ? [{ letter: wish.letter, times: wish.times }] : [],
  );
  return { lines: filled, letters, distinct };
};

/** Chooses the free words so that the letters come out as wished. */
const fill = ({ lines, letters, distinct }: Plan, random: () => number): boolean => {
  const slots = lines.flat();
  const used = new Map<string, number>();
  for (const { text, fixed } of slots)
    if (fixed) used.set(text.toLowerCase(), (used.get(text.toLowerCase()) ?? 0) + 1);
  const free = slots.filter(({ fixed }) => !fixed);
  for (const slot of free) {
    const fresh = slot.domain.filter(
      (word) => !used.has(word) && letters.every(({ letter }) => !word.includes(letter)),
    );
    const word =
      pick(fresh, random) ??
      pick(
        slot.domain.filter((one) => !used.has(one)),
        random,
      ) ??
      pick(slot.domain, random);
    if (word === undefined) return false;
    slot.text = word;
    used.set(word, (used.get(word) ?? 0) + 1);
  }
  const distance = (): number => {
    const whole = slots.map(({ text }) => text.toLowerCase()).join(' ');
    return letters.reduce(
      (total, { letter, times }) => total + Math.abs(countLetter(whole, letter) - times),
      0,
    );
  };
  let off = distance();
  for (let attempt = 0; off > 0 && attempt < 3000; attempt += 1) {
    const slot = pick(free, random);
    const word = slot === undefined ? undefined : pick(slot.domain, random);
    if (slot === undefined || word === undefined || used.has(word)) continue;
    const old = slot.text;
    slot.text = word;
    const now = distance();
    if (now <= off) {
      off = now;
      used.delete(old);
      used.set(word, 1);
    } else slot.text = old;
  }
  if (off > 0) return false;
  return !distinct || new Set(slots.map(({ text }) => text.toLowerCase())).size === slots.length;
};

const render = (plan: Plan, wishes: readonly Wish[]): string =>
  plan.lines
    .map((slots, index) => {
      const line = slots.map(({ text }) => text).join(' ');
      const mark =
        wishes.flatMap((wish) => (wish.kind === 'mark' && wish.line === index + 1 ? [wish.mark] : []))[0] ??
        '.';
      const capitals = wishes.some((wish) => wish.kind === 'capitals' && wish.line === index + 1);
      return (capitals ? line.toUpperCase() : line.charAt(0).toUpperCase() + line.slice(1)) + mark;
    })
    .join('\n');

export const compose = (wishes: readonly Wish[], lines: number, names: readonly string[]): string => {
  let fallback = '';
  for (let seed = 1; seed <= 400; seed += 1) {
    const random = makeRandom(seed);
    const plan = makePlan(wishes, lines, names, random);
    if (plan === undefined) continue;
    const isRight = fill(plan, random);
    if (isRight) return render(plan, wishes);
    fallback ||= render(plan, wishes);
  }
  return fallback;
};
