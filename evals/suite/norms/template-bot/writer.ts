/** Writes texts under rules: turns the rules into a plan and searches each line word by word. */
import { type Plan, readPlan } from './writing-rules.ts';

type Kind = 'adjective' | 'noun' | 'verb' | 'preposition' | 'adverb' | 'name' | 'number';
const list = (words: string): readonly string[] => words.split(/\s+/);
/** The words of the stock sentences, collected from the sample replies on scorecards. */
const WORDS: Readonly<Record<Exclude<Kind, 'name' | 'number'>, readonly string[]>> = {
  adjective: list(
    `able ample angry bold brave bright brown busy calm careful cheap clean clever cold dark deep dusty eager easy
  empty even famous fast fine firm fresh full gentle glad good grand great green grey happy high honest hot huge
  humble hungry icy ideal idle jolly keen kind large late lazy light little local lonely long loyal lucky mild
  modest narrow neat new nice noble odd old open orange pale patient plain polite poor proud quick rare ready
  red rich ripe rough round sad safe sharp shy silent simple slow small soft sour steady strong sunny sweet tall
  thin tidy tiny tired true ugly upper usual vast violet warm weak wet white wise yellow young`,
  ),
  noun: list(
    `actors anchors answers ants apples artists baskets bears bees bells birds bridges cakes camels candles carts
  chairs clerks clocks clouds coats cooks cousins cows crabs deer doctors dogs donkeys doors dreams ducks eagles
  elders engines farmers fields fishers flags foxes friends frogs gardens geese ghosts goats guards guests
  hammers hats hills horses insects islands jackets jars jewels judges keepers kettles keys kings kites ladders
  lakes lambs lamps lemons letters lions markets miners monks mules nests nets nurses oaks offices onions
  orchards owls oxen painters pans pears pilots plants poets quarrels queens quilts rabbits rafts riders rings
  rivers roads robins roofs roots seals seeds shelves ships shops sisters snakes songs stones storms tables
  tailors tigers towers trees tunnels turtles uncles vines visitors voices walls weavers wells whales windows
  wolves yards youths zebras`,
  ),
  verb: list(
    `admire ask avoid bless bring build buy call carry catch cross draw enjoy fear fetch gather guard help hide
  hold honour hunt invite keep know lead leave like love meet mend move need notice obey offer order please
  praise protect pull push quote raise reach repair save sell serve study teach tell thank touch understand
  visit want warn watch welcome`,
  ),
  preposition: list(
    `behind with for of from above after before around beside over near past in beyond on without under inside`,
  ),
  adverb: list(
    `daily early easily gladly here kindly later loudly never nightly now often quietly rarely sadly soon together
  twice warmly yearly`,
  ),
};
const NEXT: readonly (readonly (readonly [Kind, number])[])[] = [
  [
    ['adjective', 0],
    ['noun', 1],
  ],
  [['verb', 2]],
  [
    ['number', 2],
    ['adjective', 2],
    ['name', 3],
    ['noun', 3],
  ],
  [
    ['preposition', 4],
    ['adverb', 5],
  ],
  [
    ['number', 4],
    ['adjective', 4],
    ['name', 3],
    ['noun', 3],
  ],
  [],
];

interface Draft {
  readonly plan: Plan;
  readonly lengths: readonly number[];
  readonly names: readonly string[][];
  readonly numbers: readonly string[][];
  readonly quotas: readonly number[];
  readonly lines: string[][];
  readonly used: Set<string>;
  random: number;
  /** The number of words tried. */
  nodes: number;
  /** The index of the current line's one word with the required initial; -1 if a name is that word. */
  initialAt: number;
}

function roll(draft: Draft, size: number): number {
  draft.random = (draft.random * 1_103_515_245 + 12_345) % 2_147_483_648;
  return Math.floor((draft.random / 2_147_483_648) * size);
}

const countOf = (text: string, letter: string): number =>
  letter ? text.toLowerCase().split(letter).length - 1 : 0;

function wordFits(draft: Draft, words: readonly string[], word: string, kind: Kind): boolean {
  const { plan, lines, used } = draft;
  const [row, at] = [lines.length, words.length];
  const lower = word.toLowerCase();
  const length = draft.lengths[row] ?? 0;
  const first = lines.at(-1)?.[0] ?? '';
  if (plan.initial && kind !== 'name' && lower.startsWith(plan.initial) !== (at === draft.initialAt))
    return false;
  const chained = plan.chain && at === 0 && row > 0;
  if (chained && lower !== lines.at(-1)?.at(-1)) return false;
  if (!chained && used.has(lower) && (plan.once || kind !== 'preposition')) return false;
  if (words.includes(word) || (plan.avoid && lower.includes(plan.avoid))) return false;
  if (word.length > plan.longest && kind !== 'number') return false;
  const placed = plan.placed.find((one) => one.row === row && one.at === at);
  if (placed && placed.word !== lower) return false;
  if (at === length - 1 && plan.lastLength > 0 && word.length !== plan.lastLength) return false;
  if (at === length - 1 && plan.chain && row < draft.lengths.length - 1 && kind !== 'noun') return false;
  if (at > 0) return true;
  if (plan.acrostic && lower[0] !== plan.acrostic[row]) return false;
  const limit = String.fromCharCode(97 + Math.floor((23 * (row + 1)) / draft.lengths.length));
  return !plan.alphabetical || (lower > first && (lower[0] ?? '') <= limit);
}

function lineFits(draft: Draft, words: readonly string[]): boolean {
  const row = draft.lines.length;
  const text = words.join(' ');
  const initial = draft.plan.initial;
  if (initial && words.filter((word) => word.toLowerCase().startsWith(initial)).length !== 1) return false;
  if (draft.plan.letter && countOf(text, draft.plan.letter) !== (draft.quotas[row] ?? 0)) return false;
  return [...(draft.names[row] ?? []), ...(draft.numbers[row] ?? [])].every((needed) =>
    words.includes(needed),
  );
}

/** True if the words so far do not break a rule for the whole line. */
function stillOpen(draft: Draft, words: readonly string[]): boolean {
  const row = draft.lines.length;
  const { initial, letter } = draft.plan;
  const missing = [...(draft.names[row] ?? []), ...(draft.numbers[row] ?? [])].filter(
    (needed) => !words.includes(needed),
  );
  const ahead = initial
    ? [...words, ...missing].filter((word) => word.toLowerCase().startsWith(initial)).length
    : 0;
  if (ahead > 1) return false;
  return !letter || countOf([...words, ...missing].join(' '), letter) <= (draft.quotas[row] ?? 0);
}

function candidates(draft: Draft, words: readonly string[], kind: Kind): readonly string[] {
  const row = draft.lines.length;
  if (kind === 'name') return draft.names[row] ?? [];
  if (kind === 'number') return draft.numbers[row] ?? [];
  const placed = draft.plan.placed.find((one) => one.row === row && one.at === words.length)?.word;
  if (placed && !Object.values(WORDS).some((list) => list.includes(placed))) return [placed];
  const list = WORDS[kind];
  const start = roll(draft, list.length);
  return [...list.slice(start), ...list.slice(0, start)];
}

function fillLine(draft: Draft, words: string[], state: number, limit: number): boolean {
  const length = draft.lengths[draft.lines.length] ?? 0;
  if (words.length === length) return (state === 3 || state === 5) && lineFits(draft, words);
  const moves = [...(NEXT[state] ?? [])];
  if (roll(draft, 3) > 0 && moves.length > 1)
    moves.push(...moves.splice(0, 1 + roll(draft, moves.length - 1)));
  for (const [kind, next] of moves) {
    if (kind === 'adverb' && words.length !== length - 1) continue;
    let tries = 0;
    for (const word of candidates(draft, words, kind)) {
      draft.nodes += 1;
      if (!wordFits(draft, words, word, kind)) continue;
      words.push(word);
      tries += 1;
      const fine = stillOpen(draft, words) && fillLine(draft, words, next, limit);
      if (fine) return true;
      words.pop();
      if (draft.nodes > limit || tries > 8) break;
    }
    if (draft.nodes > limit) return false;
  }
  return false;
}

/** Picks the position of the word with the required initial, unless a name or a fixed word determines it. */
function placeInitial(draft: Draft, row: number): number {
  const { initial, acrostic, placed, chain } = draft.plan;
  if ((draft.names[row] ?? []).some((name) => name.toLowerCase().startsWith(initial))) return -1;
  const fixed = placed.find((one) => one.row === row && one.word.startsWith(initial));
  if (fixed) return fixed.at;
  if (acrostic[row] === initial || (chain && (draft.lines.at(-1)?.at(-1) ?? '').startsWith(initial)))
    return 0;
  return roll(draft, draft.lengths[row] ?? 1);
}

/** Spreads an amount over the rows, each at least its own minimum. */
function spread(draft: { random: number }, amount: number, least: readonly number[]): number[] {
  const shares = [...least];
  let left = amount - least.reduce((sum, one) => sum + one, 0);
  for (let at = Math.abs(draft.random) % shares.length; left > 0; left -= 1, at += 1) {
    const row = at % shares.length;
    shares[row] = (shares[row] ?? 0) + 1;
  }
  return shares;
}

function attempt(plan: Plan, seed: number): { text: string | undefined; nodes: number } {
  const rows = plan.rows;
  const names: string[][] = Array.from({ length: rows }, () => []);
  const numbers: string[][] = Array.from({ length: rows }, () => []);
  plan.names.forEach((name, index) => names[(rows - 1 + index + seed) % rows]?.push(name));
  plan.numbers.forEach((number, index) => numbers[(index + seed * 2 + 1) % rows]?.push(number));
  const quotas = spread(
    { random: seed },
    plan.letterCount,
    names.map((list) => countOf(list.join(' '), plan.letter)),
  );
  const draft: Draft = {
    plan,
    lengths: plan.lengths(seed),
    names,
    numbers,
    quotas,
    lines: [],
    used: new Set(),
    random: 7 + seed * 7919,
    nodes: 0,
    initialAt: 0,
  };
  for (let row = 0; row < rows; row += 1) {
    const words: string[] = [];
    let done = false;
    for (let again = 0; again < 3 && !done; again += 1) {
      words.length = 0;
      draft.initialAt = placeInitial(draft, row);
      done = fillLine(draft, words, 0, draft.nodes + 1200);
    }
    if (!done) return { text: undefined, nodes: draft.nodes };
    draft.lines.push(words);
    for (const word of words) draft.used.add(word.toLowerCase());
  }
  const text = draft.lines.map((words, row) => {
    const line = words.join(' ');
    const shown = row === plan.capitalRow ? line.toUpperCase() : line.charAt(0).toUpperCase() + line.slice(1);
    return shown + (plan.markRow === row ? plan.mark : '.');
  });
  return { text: text.join('\n'), nodes: draft.nodes };
}

export function write(turns: readonly string[]): string | undefined {
  const plan = readPlan(turns);
  if (!plan) return undefined;
  let nodes = 0;
  for (let seed = 0; seed < 80 && nodes < 8_000; seed += 1) {
    const { text, nodes: spent } = attempt(plan, seed);
    if (text !== undefined) return text;
    nodes += spent;
  }
  return undefined;
}
